/** `pincer secret`: the vault, which `$secret:NAME` in the configuration refers to. */
import { readConfigFile } from '../../config/read-file.ts';
import { referencesIn, type ReferenceUse } from '../../config/references.ts';
import { closest } from '../../core/closest.ts';
import { PincerError } from '../../core/errors.ts';
import { findHub } from '../../owner/attach.ts';
import { configPath } from '../../owner/state-folder.ts';
import { checkSecretName, openVault } from '../../owner/vault.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { readSecretValue } from '../secret/read-value.ts';
import { renderSecretList } from '../secret/render-list.ts';
import { secretRows } from '../secret/secret-rows.ts';
import { styleFor } from '../terminal/style.ts';

export async function setSecret(name: string, context: Context): Promise<ExitCode> {
  const { home, json } = context;
  // Before anybody types something in vain.
  checkSecretName(name);
  const value = await readSecretValue(`Value of ${name} (it is not shown): `);
  const isNew = openVault(home, process.env).set(name, value);
  if (json) {
    printJson({ ok: true, name, created: isNew });
    return EXIT.ok;
  }
  print(isNew ? `${name} is in the vault.\n` : `${name} has a new value.\n`);
  noteNextStep(name, home);
  return EXIT.ok;
}

function noteNextStep(name: string, home: string): void {
  const users = usesOf(home).filter((use) => use.name === name);
  if (users.length === 0) return note(`Refer to it in ${configPath(home)} as "$secret:${name}".\n`);
  const isUser = (server: string): boolean => users.some(({ path }) => path.startsWith(`servers.${server}.`));
  const waiting = outlineConfig(configPath(home)).filter((server) => !server.enabled && isUser(server.name));
  for (const server of waiting)
    note(`${server.name} is switched off. To use it: pincer set ${server.name} enabled true\n`);
  if (waiting.length === 0 && findHub(home) !== undefined)
    note('Let the hub that runs take it: pincer reload\n');
}

export function listSecrets({ home, json }: Context): ExitCode {
  const rows = secretRows(openVault(home, process.env).list(), usesOf(home));
  if (json) printJson({ ok: true, secrets: rows });
  else print(renderSecretList(rows, styleFor(process.stdout)));
  return EXIT.ok;
}

export function unsetSecret(name: string, { home, json }: Context): ExitCode {
  const vault = openVault(home, process.env);
  const known = vault.list().map((secret) => secret.name);
  if (!vault.unset(name)) {
    const meant = closest(name, known);
    throw new PincerError('SECRET_UNKNOWN', `The vault has no secret ${name}.`, {
      hint: meant === undefined ? 'Run `pincer secret list`.' : `Did you mean ${meant}?`,
    });
  }
  const usedBy = usesOf(home)
    .filter((use) => use.name === name)
    .map(({ path }) => path);
  if (json) printJson({ ok: true, name, usedBy });
  else print(`${name} is gone.\n`);
  if (!json && usedBy.length > 0) note(`Still referred to by ${usedBy.join(', ')}: change that too.\n`);
  return EXIT.ok;
}

/** A configuration that cannot be read refers to nothing here; `pincer doctor` says what is wrong with it. */
function usesOf(home: string): ReferenceUse[] {
  try {
    return referencesIn(readConfigFile(configPath(home))).filter(({ kind }) => kind === 'secret');
  } catch {
    return [];
  }
}
