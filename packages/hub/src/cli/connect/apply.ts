/** Writes Pincer into a client's file. */
import type { Place } from '../../config/import/locations.ts';
import { PincerError, messageOf } from '../../core/errors.ts';
import { hideSecrets } from '../../core/redact/redact-secrets.ts';
import { readToken } from '../../owner/tokens.ts';
import { readClientFile } from '../clients/here.ts';
import type { ConnectClient } from './clients.ts';
import { diffLines, type DiffLine, editClientFile } from './edit-file.ts';
import type { ConnectFacts, Mode } from './facts.ts';
import { snippetOf } from './snippet.ts';
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomically } from '../../owner/state-folder.ts';

export interface Applied {
  readonly file: string;
  /** Nothing: it was there already. */
  readonly diff: readonly DiffLine[];
  readonly backup: string | undefined;
  /** The file has the token in it, and is for the person's eyes only. */
  readonly hasToken: boolean;
}

const TOKEN_MARK = '<the token>';

export interface ApplyOptions {
  readonly mode: Mode;
  readonly place: Place;
  /** The change alone, nothing is written. */
  readonly isDry?: boolean;
  readonly showToken?: boolean;
}

export function applyClient(client: ConnectClient, facts: ConnectFacts, options: ApplyOptions): Applied {
  const { mode, place, isDry = false, showToken = false } = options;
  const file = client.file(place);
  const before = readClientFile(file);
  const extra = client.extra?.(mode);
  // A client that asks for the token and keeps it needs none in its file.
  const token = mode === 'stdio' || extra !== undefined ? undefined : tokenOf(facts);
  const entry = client.entry(mode, facts, token ?? client.tokenReference ?? '');
  const after = edit(client, mode, facts, () =>
    editClientFile(before ?? '', file, client, { name: facts.name, entry, extra }),
  );
  // The file may hold secrets of others, too.
  const hide = (text: string): string =>
    hideSecrets(token === undefined ? text : text.replaceAll(token, TOKEN_MARK));
  const diff = diffLines(before ?? '', after).map(({ sign, text }) => ({
    sign,
    text: sign === '+' && showToken ? text : hide(text),
  }));
  const isWritten = !isDry && diff.length > 0;
  const { backup } = isWritten ? writeClientFile(file, after, token !== undefined) : { backup: undefined };
  return { file, diff, backup, hasToken: token !== undefined };
}

/** What cannot be edited can still be pasted. */
// oxlint-disable-next-line max-params -- what the lines are made of, and the edit
function edit(client: ConnectClient, mode: Mode, facts: ConnectFacts, run: () => string): string {
  try {
    return run();
  } catch (error) {
    const { code, message, hint, data } = PincerError.from(error);
    const { lines } = snippetOf(client, mode, facts);
    throw new PincerError(code, `${message} Nothing was written.`, {
      hint: `${hint ?? ''} What to put into it:\n${lines.trimEnd()}`.trim(),
      data,
      cause: error,
    });
  }
}

function tokenOf({ tokenFile }: ConnectFacts): string {
  const token = readToken(tokenFile);
  if (token !== undefined) return token;
  throw new PincerError('TOKEN_UNREADABLE', `There is no token in ${tokenFile} yet.`, {
    hint: 'The hub makes it when it starts: pincer up. A client that starts a program needs none: --stdio',
  });
}

const PRIVATE = 0o600;

interface Written {
  /** Where the earlier text is; undefined for a file that was not there. */
  readonly backup: string | undefined;
}

/**
 * Puts a text into another program's file: what was there is kept beside it, and a link stays a link. `isSecret`:
 * the text has a token in it, and nobody else may read it.
 */
export function writeClientFile(file: string, text: string, isSecret: boolean): Written {
  try {
    const earlier = readClientFile(file);
    if (earlier === undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileAtomically(file, text, PRIVATE);
      return { backup: undefined };
    }
    const target = realpathSync(file);
    const mode = statSync(target).mode & 0o777;
    const backup = keep(earlier, target);
    writeFileAtomically(target, text, isSecret ? PRIVATE : mode);
    return { backup };
  } catch (error) {
    if (PincerError.is(error)) throw error;
    throw failed(file, error);
  }
}

/** What is kept there already, by an earlier time, stays: the first is what was there before all of ours. */
function keep(text: string, target: string): string {
  for (let count = 1; ; count++) {
    const backup = `${target}.before-pincer${count === 1 ? '' : `-${count}`}`;
    if (existsSync(backup) && readClientFile(backup) !== text) continue;
    writeFileAtomically(backup, text, PRIVATE);
    return backup;
  }
}

const failed = (file: string, error: unknown): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${file} cannot be written: ${messageOf(error)}`, {
    hint: 'Check that the file belongs to you.',
    cause: error,
  });
