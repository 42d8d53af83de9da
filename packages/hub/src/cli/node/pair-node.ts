/** Pairs this machine with an OpenClaw gateway as a node, and says what the person has to do. */
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
import { connectFirst } from './first-connection.ts';
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
  /** The last state of the node. */
  readonly seen: NodeReport;
  /** Undefined if the operator's token is not on this machine. */
  readonly operator: OperatorView | undefined;
  /** The gateway's settings about commands, if they can be read here. */
  readonly policy: CommandPolicy | undefined;
}

/** Rejects if the gateway does not accept this machine, after undoing all changes. */
export async function pairNode(options: PairOptions, context: Context): Promise<Pairing> {
  const target = readPairTarget(options);
  const found = nodeAddress(target, context.home, process.env);
  if (target.url === undefined && (!('url' in found) || found.isGuess === true))
    note(await announcedGateways());
  if (!('url' in found))
    throw new PincerError('SERVER_UNREACHABLE', found.reason, {
      hint: 'Name the gateway: pincer node pair --url wss://…',
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

/** Checked before anything is changed. */
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
  if (target.credential !== undefined)
    await connectFirst({
      identity,
      gateway: found,
      credential: target.credential,
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

/** The configuration file of a gateway on this machine can be read directly. */
function policyOf(operator: OperatorView | undefined, found: GatewayAddress): CommandPolicy | undefined {
  if (operator?.policy !== undefined) return operator.policy;
  const config = found.isNamed === true ? undefined : readOpenClawSettings(process.env);
  return config === undefined ? undefined : policyIn(config);
}

/**
 * A gateway applies changes of its file only after some seconds, and tells a node what it allows when the node connects.
 * So the node reconnects a few times.
 */
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

/** Switches on nodeMode in the configuration, and makes the running hub, or a new background hub, a node. */
async function becomeNode({ url, fingerprint }: PairTarget, context: Context): Promise<HubClient> {
  await changeConfig(context, () => [
    { path: ['device', 'nodeMode'], value: true },
    ...(url === undefined ? [] : [{ path: ['device', 'gatewayUrl'], value: url }]),
    // The fingerprint of a previous gateway must not apply to this one.
    ...(url === undefined && fingerprint === undefined
      ? []
      : [{ path: ['device', 'gatewayFingerprint'], value: fingerprint }]),
  ]);
  const hub = await openHub(context);
  const { isOffered } = await ask(hub, 'GET device');
  if (!isOffered) throw notOffered(notOfferedByHub(context.home, process.env));
  // A connected node knows only what the gateway allowed when it connected, so it reconnects.
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
    note(
      'device.nodeMode is on: `pincer up` runs this node with all servers, `pincer node` runs only the node.\n',
    );
    note('To switch it off: pincer device off nodeMode\n');
  }
  if (!isPaired) note(`${NOT_YET.message} ${NOT_YET.hint}\n`);
  return isPaired ? EXIT.ok : EXIT.signInNeeded;
}

const notReached = (seen: NodeReport | undefined): PincerError =>
  new PincerError('SERVER_UNREACHABLE', seen?.reason ?? 'The gateway did not answer in time.', {
    hint: seen?.hint ?? 'Start the gateway, or name another: pincer node pair --url wss://…',
  });

const NOT_YET = new PincerError('APPROVAL_PENDING', 'The pairing is not finished yet.', {
  hint: 'To continue after the approval: pincer node pair',
});
const NOT_DONE = describeFailure(NOT_YET);

/** Records the state before the first change. The returned function restores it, so that a failed pairing leaves nothing. */
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
    // A hub that was running before continues; one that was started for the pairing ends. An error here must not hide
    // why the pairing failed.
    if (hub !== undefined) await ask(hub, hadHub ? 'POST reload' : 'POST stop').catch(() => undefined);
    if (!hadKey) rmSync(keyPath, { force: true });
  };
}

/** Finds the gateway for the node: the named one, or else the same that the hub would use. */
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
    // The configured fingerprint applies only to the configured gateway.
    fingerprint: fingerprint ?? (url === undefined ? text('device', 'gatewayFingerprint') : undefined),
  });
}
