/** Each capability of this machine: its switch, and what does the work. */
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
  /** Asked where it runs: it may have been started from a desktop, and the doctor not. */
  readonly hub: HubClient | undefined;
}

export async function checkDevice({ hub, ...here }: DeviceCheck): Promise<Finding[]> {
  const problem = notOfferedHere(here.home, here.env);
  if (problem !== undefined) return [ok('device', problem.why)];
  const report: DeviceReport =
    hub === undefined
      ? { isOffered: true, capabilities: await readinessHere(here) }
      : await ask(hub, 'GET device');
  if (!report.isOffered) return [ok('device', 'The hub that runs does not offer this machine.')];
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

/** Nothing needs to be there for what is built in. */
const byWhat = (backend: string, comma: string): string =>
  backend === 'built in' ? '' : `${comma} by ${backend}`;

/** A node that is not connected is of no use to anybody at its gateway. */
function checkNodeMode(node: NodeReport | undefined, isOn: boolean): Finding[] {
  const path = 'device.nodeMode';
  if (node === undefined) return isOn ? [ok(path, 'On: a hub that runs is a node of its gateway.')] : [];
  const message = renderNode({ ...node, hint: undefined });
  return [node.is === 'connected' ? ok(path, message) : warn(path, message, node.hint)];
}

/** A rule for a command that there is none of decides nothing. */
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
        'This machine has no such command: the rule decides nothing.',
        near === undefined ? 'pincer device lists them.' : `Did you mean ${near}?`,
      );
    });
}
