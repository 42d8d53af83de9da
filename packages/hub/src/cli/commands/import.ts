/** `pincer import`: the servers of other MCP clients. Shows what it would do; with `--write` it does it. Connects to none. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { IMPORT_CLIENTS } from '../../config/import/clients.ts';
import type { ClientId } from '../../config/import/locations.ts';
import { closest, shellWord, plural } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';
import { findHub } from '../../owner/hub-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { gather, gatherFrom, type Gathered } from '../import/gather.ts';
import { namedClient, placeHere } from '../clients/here.ts';
import { planImport, type Plan, type Origin } from '../import/plan.ts';
import { surroundingsOf } from '../import/surroundings.ts';
import { writePlan } from '../import/write.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { shortener } from '../render/text.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { visible } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { forProject, remarksOf, shownLaunch, type RemarkOptions } from '../import/remarks.ts';
import { defineCommand } from '../command.ts';

const CLIENT_IDS = IMPORT_CLIENTS.map(({ id }) => id);

export const command = defineCommand({
  usage: '[CLIENT] [--from FILE] [--enable NAME …] [--write]',
  description: `Shows the servers that other MCP clients have here, and with --write adds them. Connects to none.\nClients: ${CLIENT_IDS.join(', ')}.`,
  arguments: [['[client]', 'this client alone']],
  completes: CLIENT_IDS,
  options: {
    '--from <file>': 'read this file instead of those of the clients',
    '--write': 'add them; without it nothing is changed',
    '--enable <name>': {
      help: 'switch this one on though a project has it; may be given several times',
      many: true,
    },
    '--enable-all': 'switch on all that have what they need',
  },
  run: ({ words: [client], flags: { from, write, enable = [], enableAll } }, context) =>
    importServers({ client, from, write, enable, enableAll }, context),
});

interface ImportOptions {
  readonly client: string | undefined;
  readonly from: string | undefined;
  readonly write: boolean;
  /** Servers that are switched on though they are not the person's own. */
  readonly enable: readonly string[];
  readonly enableAll: boolean;
}

function importServers(options: ImportOptions, context: Context): ExitCode {
  const { client, from, write, enable, enableAll } = options;
  const { home, json } = context;
  const place = placeHere();
  const only = client === undefined ? undefined : namedClient(client, IMPORT_CLIENTS).id;
  const gathered = from === undefined ? gather(place, only) : gatherFrom(resolve(from), place, only);
  refuseIfAllBroken(gathered, only);
  const vault = openVault(home, process.env);
  const isEnabled = (name: string): boolean => enableAll || enable.includes(name);
  const plan = planImport(gathered, surroundingsOf(context, process.env, vault, isEnabled));
  refuseUnknown(
    enable,
    plan.add.map(({ name }) => name),
  );
  if (write) writePlan(plan.add, home, vault);
  if (json) printJson({ ok: true, written: write, file: configPath(home), ...describePlan(plan) });
  else show(plan, gathered, options, context);
  return EXIT.ok;
}

function show(plan: Plan, { files }: Gathered, options: ImportOptions, { home }: Context): void {
  const { write } = options;
  const shorten = shortener(homedir(), process.cwd());
  print(renderPlan(plan, { style: styleFor(process.stdout), isWritten: write, shorten }));
  const count = plan.add.length;
  if (files.length === 0 && plan.problems.length === 0) note('No other MCP client was found here.\n');
  else if (count === 0) note('There is nothing to add.\n');
  else if (write) {
    note(`Saved in ${configPath(home)}; the other programs keep their own entries.\n`);
    if (plan.add.some(({ config }) => config.enabled === false))
      note('Those with ! are switched off. When one has what it needs: pincer set NAME enabled true\n');
    if (findHub(home) !== undefined) note('Let the hub that runs take them: pincer reload\n');
  } else {
    if (plan.add.some(({ isHeldBack }) => isHeldBack))
      note('What a project has comes switched off; --enable NAME, or --enable-all, switches it on.\n');
    note(`Nothing was written. To add ${count === 1 ? 'it' : 'them'}: ${writeCommand(options)}\n`);
  }
}

function writeCommand({ client, from, enable, enableAll }: ImportOptions): string {
  const words = [
    ...(client === undefined ? [] : [client]),
    ...(from === undefined ? [] : ['--from', from]),
    ...enable.flatMap((name) => ['--enable', name]),
    ...(enableAll ? ['--enable-all'] : []),
  ];
  return ['pincer import', ...words.map(shellWord), '--write'].join(' ');
}

function refuseUnknown(enable: readonly string[], known: readonly string[]): void {
  const unknown = enable.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closest(unknown, known);
  throw new PincerError('USAGE', `No server "${unknown}" would be added.`, {
    hint: meant === undefined ? '`pincer import` shows which would.' : `Did you mean --enable ${meant}?`,
  });
}

/** Somebody who asked for one client wants to hear that it failed. */
function refuseIfAllBroken({ files, problems }: Gathered, only: ClientId | undefined): void {
  if (only !== undefined && files.length === 0 && problems[0] !== undefined) throw problems[0].error;
}

/** A plan for `--json`. No value of a secret is in it. */
const describePlan = ({ add, skipped, problems }: Plan): object => ({
  servers: add.map(({ name, origin, config, kept, sends, missing, signIn, notes }) => ({
    name,
    from: describeOrigin(origin),
    config,
    secrets: kept.map(({ secret, path }) => ({ secret, path })),
    sends,
    missing,
    signIn,
    notes,
  })),
  skipped: skipped.map(({ origin, reason, kind }) => ({ from: describeOrigin(origin), kind, reason })),
  problems: problems.map(({ client, file, error }) => ({
    client: client.id,
    file,
    line: error.data?.['line'],
    message: error.message,
    hint: error.hint,
  })),
});

const describeOrigin = ({ client, file, project, isOwn, name }: Origin): object => ({
  client: client.id,
  file,
  project,
  isOwn,
  name,
});

interface RenderOptions extends RemarkOptions {
  readonly style: Style;
}

/**
 * What an import would do, or has done, for a person. No value of a secret is in it. File by file, in the order in
 * which they win.
 */
function renderPlan(plan: Plan, options: RenderOptions): string {
  const { style, isWritten, shorten } = options;
  const files = new Map<string, string>();
  for (const { client, file } of [
    ...plan.add.map(({ origin }) => origin),
    ...plan.skipped.map(({ origin }) => origin),
    ...plan.problems,
  ])
    files.set(file, client.title);
  const order = [...files.keys()].toSorted((a, b) => plan.order.indexOf(a) - plan.order.indexOf(b));
  const groups = order.flatMap((file) => [
    `${style.bold(files.get(file)!)}  ${style.dim(visible(shorten(file)))}`,
    ...renderFile(plan, file, options),
    '',
  ]);
  if (groups.length === 0) return '';
  const sum = `${plural(plan.add.length, 'server')} ${isWritten ? 'added' : 'to add'}`;
  const off = plan.add.filter(({ config }) => config.enabled === false).length;
  const parts = [
    sum,
    ...(off > 0 ? [`${off} of them switched off`] : []),
    ...(plan.skipped.length > 0 ? [`${plan.skipped.length} left out`] : []),
    ...(plan.problems.length > 0 ? [`${plural(plan.problems.length, 'file')} not read`] : []),
  ];
  return [...groups, `${parts.join(', ')}.`, ''].join('\n');
}

function renderFile({ add, skipped, problems }: Plan, file: string, options: RenderOptions): string[] {
  const { style } = options;
  const added = add.filter(({ origin }) => origin.file === file);
  const table = columns(
    added.map((server) => [
      server.config.enabled === false ? style.yellow('!') : style.green('+'),
      style.bold(server.name),
      server.config.url === undefined ? 'stdio' : 'http',
      visible(shownLaunch(server)),
    ]),
  );
  return [
    ...added.flatMap((server, index) => [
      `  ${table[index]!}`,
      ...remarksOf(server, options).map((remark) => `     ${visible(remark)}`),
    ]),
    ...columns(
      skipped
        .filter(({ origin }) => origin.file === file)
        .map(({ origin, reason }) => [
          `  ${style.dim('-')}`,
          visible(origin.name),
          visible(`left out: ${reason}${forProject(origin, options)}`),
        ]),
    ),
    ...problems
      .filter((problem) => problem.file === file)
      .map(
        ({ error }) => `  ${style.red('✗')}  ${visible(error.message.replace(file, '').replace(/^, /, ''))}`,
      ),
  ];
}
