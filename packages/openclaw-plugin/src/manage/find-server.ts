import { closest, PincerError, type ServerReport } from 'pincer/client';

/** Of that name; one that differs in capitals alone is meant, too. */
export function findServer(servers: readonly ServerReport[], name: string): ServerReport {
  const lower = name.toLowerCase();
  const alike = servers.filter((server) => server.name.toLowerCase() === lower);
  const found = alike.find((server) => server.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const near = closest(name, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}?`
      : names.length === 0
        ? 'There is none yet: /mcp connect <url> adds one.'
        : `There are ${names.join(', ')}.`;
  throw new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint });
}
