/** A server that a command was given by name. */
import { serversIn } from '../../config/as-written.ts';
import { openClawFilePath, readOpenClawFile } from '../../config/openclaw-file.ts';
import { closest } from '../../core/closest.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';

/** Its settings as they are written; throws with the name that was probably meant. */
export function serverIn(config: unknown, name: string): Readonly<Record<string, unknown>> {
  const servers = serversIn(config);
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isRecord(server)) return server;
  const path = openClawFilePath(process.env);
  const borrowed = readOpenClawFile(path)?.servers ?? {};
  if (!Object.hasOwn(borrowed, name)) throw unknownServer(name, Object.keys(servers));
  throw new PincerError('USAGE', `Server "${name}" stands in ${path}, which Pincer does not change.`, {
    hint: `Change it there, or write it anew here: pincer set ${name} '{ … }'`,
  });
}

export function unknownServer(name: string, names: readonly string[]): PincerError {
  const near = closest(name, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}?`
      : names.length === 0
        ? 'No server is configured yet: `pincer add NAME URL` adds one.'
        : `Configured are ${names.join(', ')}.`;
  return new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint });
}
