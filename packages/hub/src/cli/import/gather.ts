/** Reads the files of other clients. Runs nothing in them; a broken file does not affect the others. */
import { guessClient, IMPORT_CLIENTS, type ImportClient } from '../../config/import/clients.ts';
import { locationsOf, type ClientId, type Place } from '../../config/import/locations.ts';
import type { Reading } from '../../config/import/types.ts';
import { PincerError } from '../../core/errors.ts';
import { readClientFile } from '../clients/here.ts';

export interface ReadFile {
  readonly client: ImportClient;
  readonly file: string;
  /** True for a file of the user account; false for a project's file or one from elsewhere. */
  readonly isOwn: boolean;
  readonly reading: Reading;
}

export interface Problem {
  readonly client: ImportClient;
  readonly file: string;
  readonly error: PincerError;
}

export interface Gathered {
  readonly files: readonly ReadFile[];
  readonly problems: readonly Problem[];
  /** The files in order of precedence. */
  readonly order: readonly string[];
}

/** Reads the files of all clients, or of one. */
export function gather(place: Place, only?: ClientId): Gathered {
  const files: ReadFile[] = [];
  const problems: Problem[] = [];
  const order: string[] = [];
  for (const client of IMPORT_CLIENTS.filter(({ id }) => id === (only ?? id)))
    for (const { file, project } of locationsOf(client.id, place)) {
      order.push(file);
      try {
        const text = readClientFile(file);
        if (text === undefined) continue;
        const reading = client.read({ ...place, text, file, project });
        files.push({ client, file, isOwn: project === undefined, reading });
      } catch (error) {
        problems.push({ client, file, error: PincerError.from(error) });
      }
    }
  return { files, problems, order };
}

/** Reads one file that was named with --from. */
export function gatherFrom(file: string, place: Place, only?: ClientId): Gathered {
  const text = readClientFile(file);
  if (text === undefined)
    throw new PincerError('CONFIG_UNREADABLE', `${file} does not exist.`, { hint: 'Check the path.' });
  const id = only ?? guessClient(file, text);
  const client = IMPORT_CLIENTS.find((each) => each.id === id)!;
  const reading = client.read({ ...place, text, file, project: undefined });
  const isOwn = locationsOf(id, place).some((own) => own.project === undefined && own.file === file);
  return { files: [{ client, file, isOwn, reading }], problems: [], order: [file] };
}
