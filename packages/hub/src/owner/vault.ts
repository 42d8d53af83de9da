/** The vault: secrets by name, each sealed in a file of its own, so that two who write at once lose nothing. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { prepareStateFolder, writeFileAtomically, type Environment } from './state-folder.ts';
import { findKey, keySources, makeKey, type KeySource, type MasterKey } from './vault-key.ts';
import {
  keyName,
  openRecord,
  readRecord,
  sealRecord,
  writeRecord,
  type SealedRecord,
} from './vault-record.ts';

export interface SecretInfo {
  readonly name: string;
  /** ISO 8601; undefined where the record cannot be read. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** Why it cannot be used. */
  readonly problem: PincerError | undefined;
}

export interface Vault {
  /** Undefined where there is no secret of that name. */
  get(name: string): string | undefined;
  /** Whether it is a new one. */
  set(name: string, value: string): boolean;
  /** Whether there was one. Needs no key: what cannot be opened any more can still be removed. */
  unset(name: string): boolean;
  list(): SecretInfo[];
}

export interface VaultOptions {
  readonly sources?: readonly KeySource[];
  readonly now?: () => Date;
}

const KIND = 'secret';
const SUFFIX = '.json';

export const secretsFolder = (home: string): string => join(home, 'secrets');

/** A name that `$secret:NAME` can refer to. */
const isSecretName = (name: string): boolean => /^[A-Za-z0-9_]{1,64}$/.test(name);

export function checkSecretName(name: string): void {
  if (isSecretName(name)) return;
  throw new PincerError('USAGE', `"${name}" is no name for a secret.`, {
    hint: 'Use at most 64 letters, digits and _, such as GITHUB_TOKEN.',
  });
}

/** Reads nothing before it is asked for something. */
export function openVault(home: string, env: Environment, options: VaultOptions = {}): Vault {
  const { sources = keySources(home, env), now = () => new Date() } = options;
  const folder = secretsFolder(home);
  const pathOf = (name: string): string =>
    join(folder, createHash('sha256').update(name).digest('hex').slice(0, 32) + SUFFIX);

  /** For reading: the key is never made here. */
  function heldKey(): MasterKey {
    const found = findKey(sources);
    if (found !== undefined) return found;
    throw lost(
      `The vault's key is gone: there is none in ${sources.map(({ place }) => place).join(' or ')}.`,
    );
  }

  function read(name: string): SealedRecord | undefined {
    const path = pathOf(name);
    const text = readText(path);
    const record = text === undefined ? undefined : readRecord(text);
    if (text !== undefined && (record === undefined || record.id !== name)) throw damaged(name, path);
    return record;
  }

  function open(name: string): { text: string; record: SealedRecord } | undefined {
    const record = read(name);
    if (record === undefined) return undefined;
    const { key, place } = heldKey();
    if (record.key !== keyName(key))
      throw lost(`The secret ${name} takes another key than the one in ${place}.`);
    const text = openRecord(key, record);
    if (text === undefined) throw damaged(name, pathOf(name));
    return { text, record };
  }

  function names(): string[] {
    return filesIn(folder)
      .map((file) => readRecord(readText(join(folder, file)) ?? '')?.id ?? file.slice(0, -SUFFIX.length))
      .toSorted();
  }

  function describe(name: string): SecretInfo {
    try {
      const record = open(name)?.record;
      if (record === undefined) throw damaged(name, join(folder, name + SUFFIX));
      return { name, createdAt: record.createdAt, updatedAt: record.updatedAt, problem: undefined };
    } catch (error) {
      return { name, createdAt: undefined, updatedAt: undefined, problem: PincerError.from(error) };
    }
  }

  return {
    get: (name) => open(name)?.text,
    set(name, value) {
      checkSecretName(name);
      const held = names();
      // A second key beside the first would leave a vault that nobody can open as a whole.
      for (const each of held) if (each !== name && isSecretName(each)) open(each);
      const { key } = held.length > 0 ? heldKey() : (findKey(sources) ?? makeKey(sources));
      const at = now().toISOString();
      const earlier = readText(pathOf(name));
      const createdAt = readRecord(earlier ?? '')?.createdAt ?? at;
      const head = { kind: KIND, id: name, createdAt, updatedAt: at };
      write(home, pathOf(name), writeRecord(sealRecord(key, head, value)));
      return earlier === undefined;
    },
    unset(name) {
      // A record whose name cannot be read any more is listed, and removed, by the name of its file.
      const file = filesIn(folder).find((each) => each === name + SUFFIX);
      const path = file === undefined ? pathOf(name) : join(folder, file);
      if (readText(path) === undefined) return false;
      rmSync(path);
      return true;
    },
    list: () => names().map(describe),
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(SUFFIX));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw unreadable(folder, 'read', error);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, 'read', error);
  }
}

function write(home: string, path: string, text: string): void {
  prepareStateFolder(home);
  try {
    mkdirSync(secretsFolder(home), { recursive: true, mode: 0o700 });
    writeFileAtomically(path, text);
  } catch (error) {
    throw unreadable(path, 'written', error);
  }
}

const unreadable = (path: string, verb: string, error: unknown): PincerError =>
  new PincerError('VAULT_UNREADABLE', `${path} cannot be ${verb}: ${messageOf(error)}`, {
    hint: 'Check that it belongs to you.',
    cause: error,
  });

const lost = (message: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', message, {
    hint: 'Put that key back, or name its file in PINCER_MASTER_KEY_FILE. Without it the secrets are lost: `pincer secret unset NAME` removes each, then set them again.',
  });

const damaged = (name: string, path: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', `The secret ${name} is damaged: ${path}`, {
    hint: `Put the file back from a backup, or set it again: \`pincer secret unset ${name}\`, then \`pincer secret set ${name}\`.`,
    data: { secret: name },
  });
