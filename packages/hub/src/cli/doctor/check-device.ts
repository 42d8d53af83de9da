/** Each capability of this machine: its switch, and what does the work. */
import type { DeviceReport } from '../../client/device-report.ts';
import { ask, type HubClient } from '../../client/hub-client.ts';
import { isDeviceOffered } from '../../config/device-schema.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../core/environment.ts';
import { readinessHere } from '../../hub/device-readiness.ts';
import type { CapabilityReport } from '../../client/device-report.ts';
import { closest } from '../../core/closest.ts';
import { ok, warn, type Finding } from './finding.ts';

export interface DeviceCheck {
  readonly home: string;
  readonly env: Environment;
  readonly config: Config;
  /** Asked where it runs: it may have been started from a desktop, and the doctor not. */
  readonly hub: HubClient | undefined;
}

export async function checkDevice({ hub, ...here }: DeviceCheck): Promise<Finding[]> {
  if (!isDeviceOffered(here.config.device, here.env))
    return [ok('device', 'This machine is not offered: device.enabled is false, or PINCER_DEVICE is off.')];
  const report =
    hub === undefined
      ? { isOffered: true, capabilities: await readinessHere(here) }
      : await ask<DeviceReport>(hub, 'GET device');
  if (!report.isOffered) return [ok('device', 'The hub that runs does not offer this machine.')];
  const capabilities = report.capabilities ?? [];
  return [...capabilities.flatMap(findingsOf), ...unknownRules(here.config, capabilities)];
}

function findingsOf({ category, states }: CapabilityReport): Finding[] {
  const path = `device.${category}`;
  return states.map(({ commands, enabled, available, backend = '', reason = '', hint }) => {
    const what = commands.join(', ');
    if (!enabled)
      return ok(
        path,
        `${what}: off. ${available ? `It would work by ${backend}.` : `It would not work: ${reason}`}`,
      );
    return available
      ? ok(path, `${what}: on, by ${backend}.`)
      : warn(path, `${what}: on, but ${reason}`, hint);
  });
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
