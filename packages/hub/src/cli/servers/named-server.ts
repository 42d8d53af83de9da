import { serversIn } from '../../config/read-file.ts';
import { openClawFilePath, readOpenClawFile } from '../../config/openclaw-file.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { unknownServer } from './unknown-server.ts';

/** Returns the settings of a server as written. If it is unknown, throws an error that suggests a similar name. */
export function serverIn(config: unknown, name: string): Readonly<Record<string, unknown>> {
  const servers = serversIn(config);
  // An entry that is not an object can still be removed or replaced.
  if (Object.hasOwn(servers, name)) return isRecord(servers[name]) ? servers[name] : {};
  const path = openClawFilePath(process.env);
  const borrowed = readOpenClawFile(path)?.servers ?? {};
  if (!Object.hasOwn(borrowed, name)) throw unknownServer(name, Object.keys(servers));
  throw new PincerError('USAGE', `Server "${name}" is defined in ${path}, which Pincer does not change.`, {
    hint: `Change it there, or define it here: pincer set ${name} '{ … }'`,
  });
}
