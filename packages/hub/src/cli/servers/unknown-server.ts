/** Why a server that a command was given by name cannot be used. */
import { closest } from '../../core/closest.ts';
import type { HubStatus } from '../../client/status.ts';
import { PincerError } from '../../core/errors.ts';

/** With the name that was probably meant. `tool` is what was to be called there: it did not run. */
export function unknownServer(name: string, names: readonly string[], tool?: string): PincerError {
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
