/** Tokens of apps: entries of `proxy.apps` in config.json. */
import { createHash, randomBytes } from 'node:crypto';
import { appsIn } from '../../config/as-written.ts';
import type { ConfigChange } from '../../config/edit.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../core/value-at.ts';
import { configPath, statePath } from '../../owner/state-folder.ts';
import { readCredentialNames } from '../../store/credential-names.ts';
import type { Context } from '../context.ts';
import { changeConfig, type Changed } from '../settings/change-config.ts';

const APPS = ['proxy', 'apps'];

export interface AppReport {
  readonly name: string;
  readonly kind: 'app';
  /** Of the web pages that may use the token. */
  readonly origins: readonly string[];
}

export interface AddedApp extends Changed {
  readonly token: string;
}

/** The token itself is kept nowhere. */
export async function addApp(name: string, origins: readonly string[], context: Context): Promise<AddedApp> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const changed = await changeConfig(context, (config) => {
    const isTaken =
      placesOf(config, name).length > 0 || readCredentialNames(statePath(context.home)).has(name);
    if (isTaken)
      throw new PincerError('USAGE', `A token "${name}" exists already.`, {
        hint: `Revoke it first: pincer token revoke ${name}`,
      });
    return [{ path: APPS, item: 'new', value: { name, tokenHash, origins } }];
  });
  return { ...changed, token };
}

/** Whether there was one. */
export async function revokeApp(name: string, context: Context): Promise<boolean> {
  if (!hasApp(name, context)) return false;
  await changeConfig(context, (config) =>
    // From the end: what comes before stays where it is.
    placesOf(config, name)
      .toReversed()
      .map((item): ConfigChange => ({ path: APPS, item, value: undefined })),
  );
  return true;
}

export const hasApp = (name: string, { home }: Context): boolean =>
  placesOf(readConfigFile(configPath(home)), name).length > 0;

export const listApps = ({ home }: Context): AppReport[] =>
  appsIn(readConfigFile(configPath(home))).map(({ name, origins }) => ({
    name: String(name),
    kind: 'app',
    origins: Array.isArray(origins) ? origins.map(String) : [],
  }));

function placesOf(config: unknown, name: string): number[] {
  const apps = valueAt(config, APPS);
  if (apps !== undefined && !Array.isArray(apps))
    throw new PincerError('CONFIG_INVALID', 'proxy.apps is no list.', {
      hint: 'See docs/config.md for every setting.',
    });
  return (apps ?? []).flatMap((app: unknown, index: number) =>
    valueAt(app, ['name']) === name ? [index] : [],
  );
}
