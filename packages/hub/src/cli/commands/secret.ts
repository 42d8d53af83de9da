/** `pincer secret`: manages the vault, whose secrets the configuration uses as `$secret:NAME`. */
import { askText, findHubClient } from '../../control/client/hub-client.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { referencesIn, type ReferenceUse } from '../../config/references.ts';
import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';
import { configPath } from '../../owner/state-folder.ts';
import { checkSecretName, openVault, type SecretInfo } from '../../owner/vault.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { visible } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { renderHint } from '../render/text.ts';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { defineCommand, defineSubcommand } from '../command.ts';

export const command = defineCommand({
  usage: 'set|list|unset',
  description:
    'Manages secrets, which are encrypted in the state folder. The configuration refers to a secret as "$secret:NAME".',
  commands: {
    set: defineSubcommand({
      usage: 'NAME',
      summary: 'save a secret; the value is read from stdin',
      description:
        'Saves a secret or changes its value. Asks for the value without showing it, or reads it from stdin.',
      arguments: ['<name>'],
      completes: 'secrets',
      run: ({ words: [name] }, context) => setSecret(name, context),
    }),
    list: defineSubcommand({
      summary: 'list secrets and the settings that use them',
      description:
        'Lists the secrets, when they were set, and which settings use them. Never shows their values.',
      run: (_given, context) => listSecrets(context),
    }),
    unset: defineSubcommand({
      usage: 'NAME',
      summary: 'delete a secret',
      description: 'Deletes a secret.',
      arguments: ['<name>'],
      completes: 'secrets',
      run: ({ words: [name] }, context) => unsetSecret(name, context),
    }),
  },
});

async function setSecret(name: string, context: Context): Promise<ExitCode> {
  const { home, json } = context;
  // Check the name before the person types the value.
  checkSecretName(name);
  const value = await readSecretValue(`Value of ${name} (not shown while you type): `);
  const isNew = openVault(home, process.env).set(name, value);
  const isApplied = await reloadHub(context);
  if (json) {
    printJson({ ok: true, name, created: isNew });
    return EXIT.ok;
  }
  print(isNew ? `${name} is saved in the vault.\n` : `${name} has a new value.\n`);
  noteNextStep(name, home, isApplied);
  return EXIT.ok;
}

/** Returns whether a running hub applied the change. It would notice by itself, but only later than the next call. */
async function reloadHub(context: Context): Promise<boolean> {
  try {
    const hub = findHubClient(context);
    if (hub === undefined) return false;
    await askText(hub, 'POST reload');
    return true;
  } catch {
    return false;
  }
}

function noteNextStep(name: string, home: string, isApplied: boolean): void {
  const users = usesOf(home).filter((use) => use.name === name);
  if (users.length === 0) return note(`Refer to it in ${configPath(home)} as "$secret:${name}".\n`);
  const isUser = (server: string): boolean => users.some(({ path }) => path.startsWith(`servers.${server}.`));
  const waiting = outlineConfig(configPath(home)).filter((server) => !server.enabled && isUser(server.name));
  for (const server of waiting)
    note(`${server.name} is switched off. To use it: pincer set ${server.name} enabled true\n`);
  if (waiting.length === 0 && isApplied) note('The running hub uses it.\n');
}

function listSecrets({ home, json }: Context): ExitCode {
  const rows = secretRows(openVault(home, process.env).list(), usesOf(home));
  if (json) printJson({ ok: true, secrets: rows });
  else print(renderSecretList(rows, styleFor(process.stdout)));
  return EXIT.ok;
}

async function unsetSecret(name: string, context: Context): Promise<ExitCode> {
  const { home, json } = context;
  const vault = openVault(home, process.env);
  const known = vault.list().map((secret) => secret.name);
  if (!vault.unset(name)) {
    const meant = closest(name, known);
    throw new PincerError('SECRET_UNKNOWN', `The vault has no secret ${name}.`, {
      hint: meant === undefined ? 'List the secrets: pincer secret list' : `Did you mean ${meant}?`,
    });
  }
  await reloadHub(context);
  const usedBy = usesOf(home)
    .filter((use) => use.name === name)
    .map(({ path }) => path);
  if (json) printJson({ ok: true, name, usedBy });
  else print(`${name} is deleted.\n`);
  if (!json && usedBy.length > 0)
    note(`The configuration still refers to it in ${usedBy.join(', ')}. Change that, too.\n`);
  return EXIT.ok;
}

/** Returns nothing for an unreadable configuration; `pincer doctor` reports that. */
function usesOf(home: string): ReferenceUse[] {
  try {
    return referencesIn(readConfigFile(configPath(home))).filter(({ kind }) => kind === 'secret');
  } catch {
    return [];
  }
}

function renderSecretList(rows: readonly SecretRow[], style: Style): string {
  if (rows.length === 0)
    return [
      'No secrets yet. Set one, then refer to it in the configuration as "$secret:NAME":',
      '  pincer secret set GITHUB_TOKEN',
      '',
    ].join('\n');
  const symbols = { ok: style.green('●'), unreadable: style.red('✗'), missing: style.yellow('!') };
  const head = ['', 'NAME', 'SET', 'CHANGED', 'USED BY'].map((title) => style.dim(title));
  const table = columns([
    head,
    ...rows.map(({ name, state, createdAt, updatedAt, usedBy }) => [
      symbols[state],
      style.bold(visible(name)),
      dayOf(createdAt),
      dayOf(updatedAt),
      usedBy.length === 0 ? style.dim('nothing') : visible(usedBy.join(', ')),
    ]),
  ]);
  const lines = rows.flatMap(({ problem, hint }, index) => [
    table[index + 1]!,
    ...(problem === undefined ? [] : [`   ${style.red(visible(problem))}`]),
    ...renderHint(hint, style),
  ]);
  return [table[0]!, ...lines, ''].join('\n');
}

const dayOf = (at: string | undefined): string => at?.slice(0, 10) ?? '-';

interface SecretRow {
  readonly name: string;
  /** ISO 8601; undefined if the secret is missing or cannot be decrypted. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly usedBy: readonly string[];
  readonly state: 'ok' | 'unreadable' | 'missing';
  readonly problem: string | undefined;
  readonly hint: string | undefined;
}

/** All secrets of the vault, then those that settings refer to but the vault lacks. */
function secretRows(secrets: readonly SecretInfo[], uses: readonly ReferenceUse[]): SecretRow[] {
  const usedBy = (name: string): string[] => [
    ...new Set(uses.filter((use) => use.name === name).map(({ path }) => path)),
  ];
  const known = secrets.map(({ name, createdAt, updatedAt, problem }): SecretRow => ({
    name,
    createdAt,
    updatedAt,
    usedBy: usedBy(name),
    state: problem === undefined ? 'ok' : 'unreadable',
    problem: problem?.message,
    hint: problem?.hint,
  }));
  const names = new Set(secrets.map(({ name }) => name));
  const missing = [...new Set(uses.map((use) => use.name))].filter((name) => !names.has(name));
  return [
    ...known,
    ...missing.map((name): SecretRow => ({
      name,
      createdAt: undefined,
      updatedAt: undefined,
      usedBy: usedBy(name),
      state: 'missing',
      problem: 'The configuration refers to it, but it is not set.',
      hint: `pincer secret set ${name}`,
    })),
  ];
}

const MAX_SECRET_BYTES = 64 * 1024;

/** Reads the value from a hidden prompt or all of stdin. Never from an argument, which other users can see. */
async function readSecretValue(question: string): Promise<string> {
  const { stdin } = process;
  const value = stdin.isTTY ? await ask(question, stdin) : await readAll(stdin);
  if (value === '')
    throw new PincerError('USAGE', 'The value is empty, so nothing was saved.', {
      hint: 'Type the value when asked, or read it from a file: pincer secret set NAME < FILE',
    });
  return value;
}

/** Reads stdin without the newline that `echo` adds. */
async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_SECRET_BYTES)
      throw new PincerError('USAGE', `A secret has at most ${MAX_SECRET_BYTES / 1024} KiB.`);
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

function ask(question: string, input: NodeJS.ReadStream): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  note(question);
  return new Promise((resolve) => {
    let value = '';
    lines.once('line', (line) => {
      value = line;
      lines.close();
    });
    lines.once('SIGINT', () => {
      lines.close();
      // In raw mode the terminal sends no signal.
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => {
      note('\n');
      resolve(value);
    });
  });
}
