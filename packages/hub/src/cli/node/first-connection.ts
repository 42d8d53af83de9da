/**
 * The first connection to a gateway, with a setup code or the gateway's token. The gateway returns a device token, which
 * is saved and is the only credential from then on.
 */
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { createLog } from '../../observe/log.ts';
import { clock } from '../../lib/time.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import { openGatewayNode } from '../../device/node/node.ts';
import type { NodeState } from '../../core/node-state.ts';

export interface FirstConnection {
  readonly identity: DeviceIdentity;
  readonly gateway: Pick<GatewayAddress, 'url' | 'fingerprint'>;
  readonly credential: { readonly bootstrapToken: string } | { readonly token: string };
  /** Called if a person has to approve the device first. */
  onPending(state: NodeState): void;
  readonly signal: AbortSignal;
}

/** Short, because a person is waiting. */
const RETRY_MS = 3_000;

export async function connectFirst({
  identity,
  gateway,
  credential,
  onPending,
  signal,
}: FirstConnection): Promise<void> {
  const { url } = gateway;
  // The gateway may refuse the saved token, so it is removed here and restored if the gateway returns no new one.
  const before = identity.tokenFor(url, 'node');
  identity.keepToken(url, undefined, 'node');
  const done = Promise.withResolvers<void>();
  const node = openGatewayNode({
    identity,
    find: () => ({
      ...gateway,
      credential: 'token' in credential ? credential : undefined,
      how: 'the given credential',
    }),
    bootstrap: 'bootstrapToken' in credential ? { url, token: credential.bootstrapToken } : undefined,
    // The hub declares the commands of this machine later.
    commands: () => ({ caps: [], commands: [] }),
    invoke: () => Promise.resolve({ ok: false, error: { code: 'UNAVAILABLE', message: 'node is starting' } }),
    publishes: () => false,
    tools: () => [],
    log: createLog('error'),
    clock,
    limits: DEFAULT_LIMITS,
    pendingRetryMs: RETRY_MS,
  });
  node.onChange((state) => {
    // A gateway may close the first connection as soon as it has returned the token.
    const hasToken = identity.tokenFor(url, 'node') !== undefined;
    if (state.is === 'connected' || (hasToken && state.is === 'backoff')) done.resolve();
    else if (state.is === 'pending') onPending(state);
    else if (state.is === 'backoff' || state.is === 'off') done.reject(failed(state));
  });
  const stop = (): void => done.resolve();
  // The timers of a node do not keep the process alive, so this one does.
  const keepAlive = setInterval(() => undefined, RETRY_MS);
  signal.addEventListener('abort', stop);
  try {
    await done.promise;
  } finally {
    clearInterval(keepAlive);
    signal.removeEventListener('abort', stop);
    await node.close();
    if (identity.tokenFor(url, 'node') === undefined) identity.keepToken(url, before, 'node');
  }
}

const failed = ({ reason = 'The gateway cannot be reached.', hint }: NodeState): PincerError =>
  new PincerError('SERVER_UNREACHABLE', reason, { hint });
