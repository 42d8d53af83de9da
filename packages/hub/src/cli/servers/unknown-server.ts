/** Errors for a server name that cannot be used. */
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import { closest } from '../../lib/text.ts';
import type { HubStatus } from '../../control/contract/status.ts';
import { PincerError } from '../../core/errors.ts';

/** Reserved names of Pincer's own sources. */
const OWN: Readonly<Record<string, { readonly is: string; readonly hint: string }>> = {
  [DEVICE_SOURCE]: {
    is: 'this machine',
    hint: 'See and switch its capabilities: pincer device. Its settings are under "device" in config.json.',
  },
  [AGENT_SOURCE]: {
    is: "OpenClaw's agent",
    hint: 'See how it is reached: pincer doctor. Its settings are under "agent" in config.json.',
  },
};

/** Suggests a similar name. `tool`: the tool of a call to this server, which did not run. */
export function unknownServer(name: string, names: readonly string[], tool?: string): PincerError {
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own !== undefined)
    return new PincerError('SERVER_UNKNOWN', `"${name}" is ${own.is}, not a server.`, { hint: own.hint });
  const near = closest(name, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}${tool === undefined ? '' : `.${tool}`}?`
      : names.length === 0
        ? 'No server is configured yet. Add one: pincer add NAME URL'
        : `Configured servers: ${names.join(', ')}.`;
  const data = tool === undefined ? undefined : { outcome: 'not_executed' };
  return new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint, data });
}

/** Servers and apps, which are called in the same way. */
export const usable = ({ servers, proxy }: HubStatus): readonly { name: string; state: string }[] => [
  ...servers,
  ...(proxy?.apps ?? []).map(({ name }) => ({ name, state: 'ready' })),
];

/** Throws if the server does not exist or is switched off. */
export function assertUsable(
  name: string,
  servers: readonly { readonly name: string; readonly state: string }[],
): void {
  const found = servers.find((server) => server.name === name);
  if (found === undefined)
    throw unknownServer(
      name,
      servers.map((server) => server.name),
    );
  if (found.state === 'disabled')
    throw new PincerError('SERVER_DISABLED', `Server "${name}" is switched off.`, {
      hint: `Switch it on: pincer set ${name} enabled true`,
    });
}
