import { serversIn } from '../../config/read-file.ts';
import { openClawFilePath, readOpenClawFile } from '../../config/openclaw-file.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { unknownServer } from './unknown-server.ts';

/** The settings of a server as they are written; throws with the name that was probably meant. */
export function serverIn(config: unknown, name: string): Readonly<Record<string, unknown>> {
  const servers = serversIn(config);
  // One that is no object can be removed, or replaced.
  if (Object.hasOwn(servers, name)) return isRecord(servers[name]) ? servers[name] : {};
  const path = openClawFilePath(process.env);
  const borrowed = readOpenClawFile(path)?.servers ?? {};
  if (!Object.hasOwn(borrowed, name)) throw unknownServer(name, Object.keys(servers));
  throw new PincerError('USAGE', `Server "${name}" stands in ${path}, which Pincer does not change.`, {
    hint: `Change it there, or write it anew here: pincer set ${name} '{ … }'`,
  });
}
