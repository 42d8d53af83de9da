/** Why a server that a command was given by name cannot be used. */
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import { closest } from '../../lib/text.ts';
import type { HubStatus } from '../../control/contract/status.ts';
import { PincerError } from '../../core/errors.ts';

/** What Pincer has itself under a name that no server can have. */
const OWN: Readonly<Record<string, { readonly is: string; readonly hint: string }>> = {
  [DEVICE_SOURCE]: {
    is: 'this machine',
    hint: '`pincer device` shows what it can do, and switches that on and off. Its settings are "device" in config.json.',
  },
  [AGENT_SOURCE]: {
    is: "OpenClaw's agent",
    hint: '`pincer doctor` says how it is reached. Its settings are "agent" in config.json.',
  },
};

/** With the name that was probably meant. `tool` is what was to be called there: it did not run. */
export function unknownServer(name: string, names: readonly string[], tool?: string): PincerError {
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own !== undefined)
    return new PincerError('SERVER_UNKNOWN', `"${name}" is ${own.is} and no server.`, { hint: own.hint });
  const near = closest(name, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}${tool === undefined ? '' : `.${tool}`}?`
      : names.length === 0
        ? 'No server is configured yet: `pincer add NAME URL` adds one.'
        : `Configured are ${names.join(', ')}.`;
  const data = tool === undefined ? undefined : { outcome: 'not_executed' };
  return new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint, data });
}

/** Servers, and apps that are used like them. */
export const usable = ({ servers, proxy }: HubStatus): readonly { name: string; state: string }[] => [
  ...servers,
  ...(proxy?.apps ?? []).map(({ name }) => ({ name, state: 'ready' })),
];

/** Throws where there is no such server, or it is switched off. */
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
