/** Adds an entry for Pincer to a client's file. */
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
  /** Empty if the entry was already there. */
  readonly diff: readonly DiffLine[];
  readonly backup: string | undefined;
  /** The file contains the token and is readable only by its owner. */
  readonly hasToken: boolean;
}

const TOKEN_MARK = '<the token>';

export interface ApplyOptions {
  readonly mode: Mode;
  readonly place: Place;
  /** Computes the diff without writing. */
  readonly isDry?: boolean;
  readonly showToken?: boolean;
}

export function applyClient(client: ConnectClient, facts: ConnectFacts, options: ApplyOptions): Applied {
  const { mode, place, isDry = false, showToken = false } = options;
  const file = client.file(place);
  const before = readClientFile(file);
  const extra = client.extra?.(mode);
  // A client with `extra` asks the person for the token, so its file needs none.
  const token = mode === 'stdio' || extra !== undefined ? undefined : tokenOf(facts);
  const entry = client.entry(mode, facts, token ?? client.tokenReference ?? '');
  const after = edit(client, mode, facts, () =>
    editClientFile(before ?? '', file, client, { name: facts.name, entry, extra }),
  );
  // The file may contain other secrets, too.
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

/** If the file cannot be edited, the error contains the lines to paste. */
// oxlint-disable-next-line max-params -- what the lines are made of, and the edit
function edit(client: ConnectClient, mode: Mode, facts: ConnectFacts, run: () => string): string {
  try {
    return run();
  } catch (error) {
    const { code, message, hint, data } = PincerError.from(error);
    const { lines } = snippetOf(client, mode, facts);
    throw new PincerError(code, `${message} Nothing was written.`, {
      hint: `${hint ?? ''} Add this to it yourself:\n${lines.trimEnd()}`.trim(),
      data,
      cause: error,
    });
  }
}

function tokenOf({ tokenFile }: ConnectFacts): string {
  const token = readToken(tokenFile);
  if (token !== undefined) return token;
  throw new PincerError('TOKEN_UNREADABLE', `There is no token in ${tokenFile} yet.`, {
    hint: 'The hub creates it when it starts: pincer up. Or connect without a token: --stdio',
  });
}

const PRIVATE = 0o600;

interface Written {
  /** The copy of the previous file; undefined if there was none. */
  readonly backup: string | undefined;
}

/**
 * Writes another program's file, after copying the previous one beside it. Follows a symbolic link instead of replacing
 * it. `isSecret`: the text contains a token, so only the owner may read the file.
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

/** Never overwrites an earlier backup: the first one is the file before any change by Pincer. */
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
    hint: 'Check the owner and permissions of the file.',
    cause: error,
  });
