/** What became of a change, for whoever made it. */
import type { ConfigChange } from '../../config/edit.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { renderReload, renderRestart } from '../render/reload.ts';
import { styleFor } from '../terminal/style.ts';
import { clearSecretsIn, hideClearSecrets } from '../../config/hide-secrets.ts';
import type { Changed } from './change-config.ts';
import { secretAdvice } from './secret-advice.ts';

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
        ? 'No hub runs; this holds when one starts.\n'
        : `The hub has taken it: ${renderReload(reload)}`,
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
