/** Reports a change of the configuration to the person. */
import type { ConfigChange } from '../../config/edit.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';
import { clearSecretsIn, hideClearSecrets, secretNameFor } from '../../config/secrets.ts';
import type { Changed } from './change-config.ts';
import type { ReloadReport } from '../../config/reloader.ts';
import { plural } from '../../lib/text.ts';

export function reportChange(
  server: string,
  { changes, reload, unresolved }: Changed,
  { json }: Context,
): void {
  const shown = changes.map(({ path, value }) => ({ path, value: hideClearSecrets(value, path.at(-1)!) }));
  if (json) {
    const list = shown.map(({ path, value }) => ({ path: path.join('.'), value: value ?? null }));
    printJson({ ok: true, server, changes: list, reload: reload ?? null });
  } else {
    print(shown.map((change) => `${describe(server, change)}\n`).join(''));
    note(
      reload === undefined
        ? 'No hub is running. The change applies when one starts: pincer up\n'
        : `The running hub has applied it: ${renderReload(reload)}`,
    );
    if (reload !== undefined) note(renderRestart(reload));
  }
  const style = styleFor(process.stderr);
  const warn = (text: string): void => note(`${style.yellow('!')} ${text}\n`);
  for (const setting of changes.flatMap(({ path, value }) => clearSecretsIn(value, path)))
    warn(secretAdvice(setting));
  if (reload === undefined) for (const message of unresolved) warn(`${visibleBlock(message)}.`);
}

function describe(server: string, { path, value }: ConfigChange): string {
  const setting = path.slice(2).join('.');
  if (setting === '') return value === undefined ? `${server} is removed.` : `${server} is set.`;
  const name = `${server}.${setting}`;
  return value === undefined ? `${name} is no longer set.` : `${name} is ${visible(JSON.stringify(value))}.`;
}

/** Commands that move a clear-text secret to the vault. */
export function secretAdvice(setting: string): string {
  const [, server = '', ...key] = setting.split('.');
  const name = secretNameFor(setting);
  const lines = [`pincer secret set ${name}`];
  // For one of several arguments there is no such command, because the whole list would have to be written again.
  if (!setting.endsWith(']')) lines.push(`pincer set ${server} ${key.join('.')} '$secret:${name}'`);
  return `${setting} is a secret in clear text. Move it to the vault:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}

/** `docs changed, files added, 2 servers unchanged.` */
export function renderReload({ added, removed, changed, unchanged, failed = [] }: ReloadReport): string {
  const parts = [
    ...added.map((name) => `${name} added`),
    ...changed.map((name) => `${name} changed`),
    ...removed.map((name) => `${name} removed`),
    ...failed.map((name) => `${visible(name)} cannot be used`),
  ];
  const rest = `${plural(unchanged.length, 'server')} unchanged`;
  if (parts.length === 0) return `nothing has changed, ${rest}.\n`;
  return `${parts.join(', ')}, ${rest}.\n`;
}

/** Empty if no restart is needed. */
export const renderRestart = ({ needsRestart }: ReloadReport): string =>
  needsRestart.length === 0 ? '' : `Takes effect after a restart of the hub: ${needsRestart.join(', ')}.\n`;
