/** Makes this machine a node of a gateway of OpenClaw, and says what somebody has to do for it. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeReport } from '../../control/contract/machine.ts';
import { ask, findHubClient, openHub, type HubClient } from '../../control/client/hub-client.ts';
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { PincerError } from '../../core/errors.ts';
import { findGateway, nodeGateway, type GatewayAddress } from '../../openclaw/find.ts';
import { probeGateway } from '../../openclaw/socket.ts';
import { shownAddress } from '../../openclaw/refusal.ts';
import { openIdentity, identityPath } from '../../owner/device-identity.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { policyIn, type CommandPolicy, commandsThat, commandStates, renderPaired } from './report.ts';
import { introduce } from './introduce.ts';
import { lookAsOperator, type OperatorView, followPairing, isReached } from './follow.ts';
import { announcedGateways, readPairTarget, type PairOptions, type PairTarget } from './target.ts';
import { notOfferedByHub, notOfferedHere, type NotOffered } from '../servers/not-offered.ts';
import { changeConfig } from '../settings/change-config.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';
import { existsSync, rmSync } from 'node:fs';
import { readConfigText, readConfigFile } from '../../config/read-file.ts';
import { configPath, writeFileAtomically } from '../../owner/state-folder.ts';
import type { Environment } from '../../lib/process.ts';
import { valueAt } from '../../lib/record.ts';

interface Pairing {
  /** The last that was seen of the node. */
  readonly seen: NodeReport;
  /** What the gateway's people are told of it; undefined: their token is not here. */
  readonly operator: OperatorView | undefined;
  /** What the gateway's settings allow, as far as that can be read here. */
  readonly policy: CommandPolicy | undefined;
}

/** Rejects where the gateway does not take this machine for a node; then everything is as it was before. */
export async function pairNode(options: PairOptions, context: Context): Promise<Pairing> {
  const target = readPairTarget(options);
  const found = nodeAddress(target, context.home, process.env);
  if (target.url === undefined && (!('url' in found) || found.isGuess === true))
    note(await announcedGateways());
  if (!('url' in found))
    throw new PincerError('SERVER_UNREACHABLE', found.reason, {
      hint: 'Say which: pincer node pair --url wss://…',
    });
  await assertCanBeNode(context);
  await probeGateway(found, target.url === undefined ? 'device.gatewayUrl' : '--url');
  const undo = rememberBeforePairing(context);
  try {
    return await pairWith(found, { target, options, context });
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Before anything is changed. */
async function assertCanBeNode(context: Context): Promise<void> {
  const hub = findHubClient(context);
  if (hub === undefined) {
    const problem = notOfferedHere(context.home, process.env);
    if (problem !== undefined) throw notOffered(problem);
    return;
  }
  const { isOffered, isOfferedWhenPaired } = await ask(hub, 'GET device');
  if (!isOffered && isOfferedWhenPaired !== true)
    throw notOffered(notOfferedByHub(context.home, process.env));
}

const notOffered = ({ why, hint }: NotOffered): PincerError =>
  new PincerError('CONFIG_INVALID', `${why} Nothing was changed.`, { hint });

interface Asked {
  readonly target: PairTarget;
  readonly options: PairOptions;
  readonly context: Context;
}

async function pairWith(found: GatewayAddress, { target, options, context }: Asked): Promise<Pairing> {
  const identity = openIdentity(context.home);
  note(`Gateway: ${shownAddress(found.url)}\nThis device: ${identity.id} (${hostname()})\n`);
  const { wait } = options;
  const signal = wait === undefined ? new AbortController().signal : AbortSignal.timeout(wait * 1_000);
  if (target.pass !== undefined)
    await introduce({
      identity,
      gateway: found,
      pass: target.pass,
      signal,
      onPending: ({ hint = '' }) => note(`${hint}\n`),
    });
  const hub = await becomeNode(target, context);
  const operatorView = (): Promise<OperatorView | undefined> => lookAsOperator(found, identity);
  const follow = (): Promise<NodeReport | undefined> =>
    followPairing({
      look: async () => (await ask(hub, 'GET device')).node,
      lookAsOperator: operatorView,
      say: note,
      signal,
    });
  let seen = await follow();
  let operator = await operatorView();
  for (let tries = 0; tries < RELOADS && isLate(seen, operator, found) && !signal.aborted; tries++) {
    await sleep(RELOAD_MS);
    await ask(hub, 'POST device/node/refresh');
    seen = await follow();
    operator = await operatorView();
  }
  if (!isReached(seen)) throw notReached(seen);
  return { seen, operator, policy: policyOf(operator, found) };
}

/** A gateway on this machine goes by a file that can be read. */
function policyOf(operator: OperatorView | undefined, found: GatewayAddress): CommandPolicy | undefined {
  if (operator?.policy !== undefined) return operator.policy;
  const config = found.isNamed === true ? undefined : readOpenClawSettings(process.env);
  return config === undefined ? undefined : policyIn(config);
}

/** A gateway goes by its file some seconds after it was changed, and says what it allows when a node connects. */
const RELOAD_MS = 1_000;
const RELOADS = 10;

function isLate(
  seen: NodeReport | undefined,
  operator: OperatorView | undefined,
  found: GatewayAddress,
): boolean {
  if (seen?.is !== 'connected') return false;
  const { allow = [] } = policyOf(operator, found) ?? {};
  return commandsThat(commandStates(seen, operator), 'blocked', 'unclear').some((each) =>
    allow.includes(each),
  );
}

/** From now on a hub on this state folder is a node; the one that runs, or else one in the background, is one now. */
async function becomeNode({ url, fingerprint }: PairTarget, context: Context): Promise<HubClient> {
  await changeConfig(context, () => [
    { path: ['device', 'nodeMode'], value: true },
    ...(url === undefined ? [] : [{ path: ['device', 'gatewayUrl'], value: url }]),
    // The fingerprint of the gateway before is not that of this one.
    ...(url === undefined && fingerprint === undefined
      ? []
      : [{ path: ['device', 'gatewayFingerprint'], value: fingerprint }]),
  ]);
  const hub = await openHub(context);
  const { isOffered } = await ask(hub, 'GET device');
  if (!isOffered) throw notOffered(notOfferedByHub(context.home, process.env));
  // A node that is connected already knows what the gateway allowed when it connected.
  await ask(hub, 'POST device/node/refresh');
  return hub;
}

export function reportPairing({ seen, operator, policy }: Pairing, { json }: Context): ExitCode {
  const states = commandStates(seen, operator);
  const waiting = commandsThat(states, 'waiting');
  const isPaired = seen.is === 'connected' && waiting.length === 0;
  if (json) {
    const about = { node: seen, blocked: commandsThat(states, 'blocked', 'unclear'), waiting };
    printJson(isPaired ? { ok: true, ...about } : { ok: false, error: NOT_DONE, ...about });
    return isPaired ? EXIT.ok : EXIT.signInNeeded;
  }
  if (seen.is === 'connected') {
    const requestId = operator?.requestId;
    print(renderPaired({ node: seen, states, policy, requestId }, styleFor(process.stdout)));
    note('device.nodeMode is on: `pincer up` is this node, or `pincer node` without anything else.\n');
    note('`pincer device off nodeMode` ends that.\n');
  }
  if (!isPaired) note(`${NOT_YET.message} ${NOT_YET.hint}\n`);
  return isPaired ? EXIT.ok : EXIT.signInNeeded;
}

const notReached = (seen: NodeReport | undefined): PincerError =>
  new PincerError('SERVER_UNREACHABLE', seen?.reason ?? 'The gateway has not answered in time.', {
    hint: seen?.hint ?? 'Start the gateway, or name another: pincer node pair --url wss://…',
  });

const NOT_YET = new PincerError('APPROVAL_PENDING', 'It is not done yet.', {
  hint: 'Run `pincer node pair` again to go on.',
});
const NOT_DONE = describeFailure(NOT_YET);

/**
 * What this machine had before it was paired, so that a pairing that fails leaves nothing behind. Call it before
 * the first change; what it returns puts everything back.
 */
function rememberBeforePairing(context: Context): () => Promise<void> {
  const path = configPath(context.home);
  const config = existsSync(path) ? readConfigText(path) : undefined;
  const keyPath = identityPath(context.home);
  const hadKey = existsSync(keyPath);
  const hadHub = findHubClient(context) !== undefined;
  return async () => {
    if (config !== undefined) writeFileAtomically(path, config);
    else rmSync(path, { force: true });
    const hub = findHubClient(context);
    // A hub that runs for others goes on; one that was started for this ends.
    // What it has to say of that must not hide why the pairing failed.
    if (hub !== undefined) await ask(hub, hadHub ? 'POST reload' : 'POST stop').catch(() => undefined);
    if (!hadKey) rmSync(keyPath, { force: true });
  };
}

/** Where the node of a state folder goes: to the gateway that was named now, else where its configuration leads the hub. */
export function nodeAddress(
  { url, fingerprint }: PairTarget,
  home: string,
  env: Environment,
): ReturnType<typeof findGateway> {
  const written = readConfigFile(configPath(home));
  const text = (...path: string[]): string | undefined => {
    const value = valueAt(written, path);
    return typeof value === 'string' ? value : undefined;
  };
  return findGateway({
    env,
    config: readOpenClawSettings(env),
    gatewayUrl:
      url === undefined
        ? nodeGateway(text('device', 'gatewayUrl'), text('agent', 'gatewayUrl'))
        : { url, setting: '--url' },
    // The configured one is for the configured gateway alone.
    fingerprint: fingerprint ?? (url === undefined ? text('device', 'gatewayFingerprint') : undefined),
  });
}
