/** All routes of the control API. The compiler reports one that the contract has and nothing handles. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../core/catalog/catalog.ts';
import { approvalActions, type ApprovalParts } from './approval-actions.ts';
import { bindRoutes, type BoundRoutes } from './bind-routes.ts';
import type { ControlRoute } from './contract/contract.ts';
import type { HubStatus } from './contract/status.ts';
import { appActions, type AppParts, deviceActions, type DeviceParts } from './machine-actions.ts';
import { serverActions, type ServerParts } from './server-actions.ts';
import { signInActions, type SignInParts } from './sign-in-actions.ts';
import { type CredentialBook, tokenActions, type TokenParts } from './token-actions.ts';
import { toolActions, type ToolParts, trustActions, type TrustParts } from './tool-actions.ts';

interface ControlParts extends ServerParts, ToolParts, TrustParts, ApprovalParts, AppParts, DeviceParts {
  readonly catalog: Catalog;
  readonly book: CredentialBook;
  readonly signIns: SignInParts;
  forgetCaller: TokenParts['forgetCaller'];
  /** Returns the status without the members that are added here. */
  describe(): Promise<Omit<HubStatus, 'revision' | 'held' | 'approvals'>>;
  now(): number;
  stop(): void;
}

/** A client that waits for a change repeats its request after this time. */
const MAX_WAIT_MS = 25_000;

export const createControlActions = (parts: ControlParts): BoundRoutes<ControlRoute> => ({
  ...hubActions(parts),
  ...serverActions(parts),
  ...toolActions(parts),
  ...trustActions(parts),
  ...approvalActions(parts),
  ...tokenActions(parts),
  ...appActions(parts),
  ...deviceActions(parts),
  ...signInActions(parts.signIns, parts.book),
});

function hubActions(parts: ControlParts) {
  const feed = createStatusFeed(
    async () => ({
      ...(await parts.describe()),
      held: parts.held().map(({ server, tool, why }) => ({ server, tool, why })),
      approvals: parts.approvals.list().filter(({ state }) => state === 'open').length,
    }),
    () => parts.now(),
  );
  return bindRoutes({
    'GET status': ({ query: { since } }) => feed.next(since, since === undefined ? 0 : MAX_WAIT_MS),
    'GET clashes': () => parts.catalog.clashes(),
    'POST stop': () => parts.stop(),
  });
}

interface StatusFeed<Status extends object> {
  /** Answers at once if `since` is not the current revision, else after a change or `waitMs`. */
  next(since: number | undefined, waitMs: number): Promise<Status & { readonly revision: number }>;
}

/** Interval of checks while a client waits. */
const POLL_MS = 100;
/** Members that change all the time and do not count as a change. */
const VOLATILE: ReadonlySet<string> = new Set([
  'callsInFlight',
  'inFlight',
  'lastDiscoveryAt',
  'lastHeardAt',
  'discoveries',
  'stderr',
  'attached',
]);

/** Notifies a waiting client when the hub's status has changed. */
export function createStatusFeed<Status extends object>(
  describe: () => Promise<Status>,
  now: () => number,
): StatusFeed<Status> {
  // Starts with the time, so that a restarted hub has another revision.
  let revision = now();
  let seen = '';
  async function look(): Promise<Status> {
    const status = await describe();
    const text = JSON.stringify(status, (key, value: unknown) => (VOLATILE.has(key) ? undefined : value));
    if (text !== seen) revision++;
    seen = text;
    return status;
  }
  return {
    async next(since, waitMs) {
      const deadline = now() + waitMs;
      let status = await look();
      while (revision === since && now() < deadline) {
        await sleep(POLL_MS);
        status = await look();
      }
      return { revision, ...status };
    },
  };
}
