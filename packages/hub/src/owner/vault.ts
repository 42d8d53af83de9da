/** The vault: secrets by name. Each is sealed in its own file, so that concurrent writers lose nothing. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PincerError } from '../core/errors.ts';
import { sha256 } from '../lib/digest.ts';
import type { Environment } from '../lib/process.ts';
import { lostKey, openKeys } from './vault-key.ts';
import type { KeySource } from './vault-key-places.ts';
import {
  keyName,
  openRecord,
  readRecord,
  readText,
  RECORD_SUFFIX,
  recordFiles,
  type SealedRecord,
  sealRecord,
  secretsFolder,
  writeRecord,
  writeText,
} from './vault-records.ts';

export interface SecretInfo {
  readonly name: string;
  /** ISO 8601. Undefined if the record cannot be read. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** Why the secret cannot be used. */
  readonly problem: PincerError | undefined;
}

export interface Vault {
  /** Returns undefined if there is no such secret. */
  get(name: string): string | undefined;
  /** Returns whether the secret is new. */
  set(name: string, value: string): boolean;
  /** Returns whether it existed. Needs no key, so an unreadable secret can be removed too. */
  unset(name: string): boolean;
  list(): SecretInfo[];
}

export interface VaultOptions {
  readonly sources?: readonly KeySource[];
  readonly now?: () => Date;
}

const KIND = 'secret';

/** A name that `$secret:NAME` can refer to. */
const isSecretName = (name: string): boolean => /^[A-Za-z0-9_]{1,64}$/.test(name);

export function checkSecretName(name: string): void {
  if (isSecretName(name)) return;
  throw new PincerError('USAGE', `"${name}" is not a valid name for a secret.`, {
    hint: 'Use at most 64 letters, digits and _, such as GITHUB_TOKEN.',
  });
}

/** Reads no file until it is used. */
export function openVault(home: string, env: Environment, options: VaultOptions = {}): Vault {
  const { sources, now = () => new Date() } = options;
  const keys = openKeys(home, env, sources);
  const folder = secretsFolder(home);
  const fileOf = (name: string): string => sha256(name).slice(0, 32) + RECORD_SUFFIX;
  const pathOf = (name: string): string => join(folder, fileOf(name));

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
    const { key, place } = keys.held();
    if (record.key !== keyName(key))
      throw lostKey(`The secret ${name} was sealed with another key than the one in ${place}.`);
    const text = openRecord(key, record);
    if (text === undefined) throw damaged(name, pathOf(name));
    return { text, record };
  }

  function names(): string[] {
    return recordFiles(folder)
      .map(
        (file) => readRecord(readText(join(folder, file)) ?? '')?.id ?? file.slice(0, -RECORD_SUFFIX.length),
      )
      .toSorted();
  }

  function describe(name: string): SecretInfo {
    try {
      const record = open(name)?.record;
      if (record === undefined) throw damaged(name, join(folder, name + RECORD_SUFFIX));
      return { name, createdAt: record.createdAt, updatedAt: record.updatedAt, problem: undefined };
    } catch (error) {
      return { name, createdAt: undefined, updatedAt: undefined, problem: PincerError.from(error) };
    }
  }

  return {
    get: (name) => open(name)?.text,
    set(name, value) {
      checkSecretName(name);
      for (const each of names()) if (each !== name && isSecretName(each)) open(each);
      const { key } = keys.forWriting(pathOf(name));
      const at = now().toISOString();
      const earlier = readText(pathOf(name));
      const createdAt = readRecord(earlier ?? '')?.createdAt ?? at;
      const head = { kind: KIND, id: name, createdAt, updatedAt: at };
      writeText(home, folder, fileOf(name), writeRecord(sealRecord(key, head, value)));
      return earlier === undefined;
    },
    unset(name) {
      // A record whose name is unreadable is listed and removed by its file name.
      const file = recordFiles(folder).find((each) => each === name + RECORD_SUFFIX);
      const path = file === undefined ? pathOf(name) : join(folder, file);
      if (readText(path) === undefined) return false;
      rmSync(path);
      return true;
    },
    list: () => names().map(describe),
  };
}

const damaged = (name: string, path: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', `The secret ${name} is damaged: ${path}`, {
    hint: `Restore the file from a backup, or set it again: \`pincer secret unset ${name}\`, then \`pincer secret set ${name}\`.`,
    data: { secret: name },
  });
