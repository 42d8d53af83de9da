import { PincerError } from '../../core/errors.ts';
import { findKey, keySources } from '../../owner/vault-key.ts';
import { secretsFolder } from '../../owner/vault-records.ts';
import { openVault, type SecretInfo } from '../../owner/vault.ts';
import { plural } from '../render/plural.ts';
import { error, ok, warn, type Finding } from './finding.ts';

/** Where the vault's key is, and whether every secret can be opened with it. */
export function checkVault(home: string): Finding[] {
  const path = secretsFolder(home);
  try {
    const secrets = openVault(home, process.env).list();
    if (secrets.length === 0) return [];
    const place = findKey(keySources(home, process.env))?.place ?? 'no place';
    const good = secrets.filter(({ problem }) => problem === undefined).length;
    return [
      ok(path, `${plural(good, 'secret')} in the vault; its key is in ${place}.`),
      ...secrets.flatMap((secret) => problemOf(path, secret)),
    ];
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    return [error(code, path, message, hint)];
  }
}

const problemOf = (path: string, { problem }: SecretInfo): Finding[] =>
  problem === undefined ? [] : [warn(path, problem.message, problem.hint)];
