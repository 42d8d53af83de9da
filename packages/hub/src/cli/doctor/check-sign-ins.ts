import { PincerError } from '../../core/errors.ts';
import { openGrantFiles } from '../../owner/grant-files.ts';
import { findKeyLater, keySources } from '../../owner/vault-key.ts';
import { grantsFolder } from '../../owner/vault-records.ts';
import type { GrantInfo } from '../../servers/oauth/grant.ts';
import { createGrants } from '../../servers/oauth/grants/grant-store.ts';
import { plural } from '../render/plural.ts';
import { error, ok, warn, type Finding } from './finding.ts';

/** Where the key of sign-ins is, whether each can be opened with it, and which are over. */
export async function checkSignIns(home: string): Promise<Finding[]> {
  const path = grantsFolder(home);
  const files = openGrantFiles(home, process.env);
  const grants = createGrants(files);
  try {
    if (files.names().length === 0) return [];
    const place = (await findKeyLater(keySources(home, process.env)))?.place ?? 'no place';
    const good = await grants.list();
    return [
      ok(path, `${plural(good.length, 'sign-in')} kept; the key is in ${place}.`),
      ...good.flatMap((grant) => overOf(path, grant)),
      ...(await grants.problems()).map(({ message, hint }) => warn(path, message, hint)),
    ];
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    return [error(code, path, message, hint)];
  }
}

const overOf = (path: string, { key, refused }: GrantInfo): Finding[] =>
  refused === undefined
    ? []
    : [
        warn(
          path,
          `The sign-in to "${key.server}" is over (${refused}).`,
          `Sign in again: pincer login ${key.server}`,
        ),
      ];
