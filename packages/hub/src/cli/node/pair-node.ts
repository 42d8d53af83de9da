/** Makes this machine a node of a gateway of OpenClaw, and says what somebody has to do for it. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceReport, NodeReport } from '../../client/device-report.ts';
import { ask, openHub, type HubClient } from '../../client/hub-client.ts';
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { PincerError } from '../../core/errors.ts';
import { shownAddress } from '../../openclaw/shown-address.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { nodeAddress } from './address.ts';
import { allowedIn } from './allow-line.ts';
import { introduce } from './introduce.ts';
import { lookAsOperator } from './operator-look.ts';
import { followPairing } from './follow.ts';
import { announcedGateways, readPairTarget, type PairOptions, type PairTarget } from './target.ts';
import { blockedCommands, renderPaired } from '../render/node.ts';
import { notOfferedByHub } from '../servers/not-offered.ts';
import { changeConfig } from '../settings/change-config.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';

export interface Pairing {
  /** The last that was seen of the node. */
  readonly seen: NodeReport | undefined;
  /** What openclaw.json says, where it is that of the gateway. */
  readonly config: unknown;
}

export async function pairNode(options: PairOptions, context: Context): Promise<Pairing> {
  const target = readPairTarget(options);
  const found = nodeAddress(target, context.home, process.env);
  if (target.url === undefined && (!('url' in found) || found.isGuess === true))
    note(await announcedGateways());
  if (!('url' in found))
    throw new PincerError('SERVER_UNREACHABLE', found.reason, {
      hint: 'Say which: pincer node pair --url wss://…',
    });
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
  const wasNode = loadConfigHere(context.home).device.nodeMode;
  const hub = await becomeNode(target, context);
  const follow = (): Promise<NodeReport | undefined> =>
    followPairing({
      look: async () => (await ask<DeviceReport>(hub, 'GET device')).node,
      lookAsOperator: () => lookAsOperator(found, identity),
      say: note,
      signal,
    });
  // On the gateway's own machine, its configuration can be read.
  const config = found.isNamed === true ? undefined : readOpenClawSettings(process.env);
  let seen = await follow();
  for (let tries = 0; tries < RELOADS && isLate(seen, config) && !signal.aborted; tries++) {
    await sleep(RELOAD_MS);
    await ask(hub, 'POST device/node/refresh');
    seen = await follow();
  }
  // Nobody has named this gateway, and nobody is there: no later hub is to look for it.
  if (!isReached(seen) && found.isGuess === true && !wasNode)
    await changeConfig(context, () => [{ path: ['device', 'nodeMode'], value: undefined }]);
  return { seen, config };
}

const isReached = (seen: NodeReport | undefined): seen is NodeReport =>
  seen?.is === 'connected' || seen?.is === 'paired' || seen?.is === 'pending';

/** A gateway goes by its file some seconds after it was changed, and says what it allows when a node connects. */
const RELOAD_MS = 1_000;
const RELOADS = 10;

const isLate = (seen: NodeReport | undefined, config: unknown): boolean =>
  seen?.is === 'connected' && blockedCommands(seen).some((each) => allowedIn(config).includes(each));

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
  const { isOffered } = await ask<DeviceReport>(hub, 'GET device');
  if (!isOffered) {
    const { why, hint } = notOfferedByHub(context.home, process.env);
    throw new PincerError('CONFIG_INVALID', why, { hint });
  }
  // A node that is connected already knows what the gateway allowed when it connected.
  await ask(hub, 'POST device/node/refresh');
  return hub;
}

/** Throws where no gateway was there to pair with. */
export function reportPairing({ seen, config }: Pairing, { json }: Context): ExitCode {
  if (!isReached(seen)) throw notReached(seen);
  const isPaired = seen.is === 'connected';
  const about = { node: seen, blocked: blockedCommands(seen) };
  if (json) printJson(isPaired ? { ok: true, ...about } : { ok: false, error: NOT_DONE, ...about });
  else if (isPaired) {
    print(renderPaired(seen, config, styleFor(process.stdout)));
    note('device.nodeMode is on: `pincer up` is this node, or `pincer node` without anything else.\n');
    note('`pincer device off nodeMode` ends that.\n');
  } else note(`${NOT_YET.message} ${NOT_YET.hint}\n`);
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
