/** Checks each capability of this machine: its switch and its backend. */
import type {
  BackendReport,
  CapabilityReport,
  DeviceReport,
  NodeReport,
} from '../../control/contract/machine.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../lib/process.ts';
import { readinessHere } from '../../device/readiness.ts';
import { closest } from '../../lib/text.ts';
import { renderNode } from '../render/device.ts';
import { fullStop } from '../render/text.ts';
import { notOfferedHere } from '../servers/not-offered.ts';
import { ok, warn, type Finding } from './finding.ts';

export interface DeviceCheck {
  readonly home: string;
  readonly env: Environment;
  readonly config: Config;
  /** Asked if it is running, because it may run in a desktop session and this command not. */
  readonly hub: HubClient | undefined;
}

export async function checkDevice({ hub, ...here }: DeviceCheck): Promise<Finding[]> {
  const problem = notOfferedHere(here.home, here.env);
  if (problem !== undefined) return [ok('device', problem.why)];
  const report: DeviceReport =
    hub === undefined
      ? { isOffered: true, capabilities: await readinessHere(here) }
      : await ask(hub, 'GET device');
  if (!report.isOffered) return [ok('device', 'The running hub does not offer this machine.')];
  const capabilities = report.capabilities ?? [];
  return [
    ...capabilities.flatMap(capabilityFindings),
    ...checkNodeMode(report.node, here.config.device.nodeMode),
    ...unknownRules(here.config, capabilities),
  ];
}

export const capabilityFindings = ({ category, states }: CapabilityReport): Finding[] =>
  states.map((state) => findingOf(`device.${category}`, state));

function findingOf(path: string, { commands, enabled, available, ...state }: BackendReport): Finding {
  const { backend = '', reason = '', hint } = state;
  const what = commands.join(', ');
  const isSure = available && reason === '';
  if (enabled)
    return isSure
      ? ok(path, `${what}: on${byWhat(backend, ',')}.`)
      : warn(path, `${what}: on${available ? byWhat(backend, ',') : ''}, but ${fullStop(reason)}`, hint);
  if (isSure) return ok(path, `${what}: off. It would work${byWhat(backend, '')}.`);
  const would = available ? 'might' : 'would';
  return ok(path, `${what}: off. It ${would} not work: ${fullStop(reason)}`, hint);
}

/** A built-in backend needs no mention. */
const byWhat = (backend: string, comma: string): string =>
  backend === 'built in' ? '' : `${comma} using ${backend}`;

/** Warns about a node that is not connected to its gateway. */
function checkNodeMode(node: NodeReport | undefined, isOn: boolean): Finding[] {
  const path = 'device.nodeMode';
  if (node === undefined)
    return isOn ? [ok(path, 'On: when the hub runs, it is a node of its gateway.')] : [];
  const message = renderNode({ ...node, hint: undefined });
  return [node.is === 'connected' ? ok(path, message) : warn(path, message, node.hint)];
}

/** Warns about rules for unknown commands. */
function unknownRules(
  { device: { policy = {} } }: Config,
  capabilities: readonly CapabilityReport[],
): Finding[] {
  const commands = capabilities.flatMap(({ states }) => states.flatMap((state) => state.commands));
  return Object.keys(policy)
    .filter((name) => name !== '*' && !commands.includes(name))
    .map((name) => {
      const near = closest(name, commands);
      return warn(
        `device.policy.${name}`,
        'This machine has no such command, so the rule has no effect.',
        near === undefined ? 'List the commands: pincer device' : `Did you mean ${near}?`,
      );
    });
}
