/** `pincer import`: shows the servers of other MCP clients, and with `--write` adds them. Connects to none. */
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
  description: `Shows the servers that are configured in other MCP clients on this machine. With --write, adds them to Pincer. Does not connect to them.\nClients: ${CLIENT_IDS.join(', ')}.`,
  arguments: [['[client]', 'only this client; default: all clients']],
  completes: CLIENT_IDS,
  options: {
    '--from <file>': "read this file instead of the clients' own files",
    '--write': 'add the servers; without it nothing is changed',
    '--enable <name>': {
      help: "switch on this server even though it comes from a project's file; repeatable",
      many: true,
    },
    '--enable-all': 'switch on every server that has all it needs',
  },
  run: ({ words: [client], flags: { from, write, enable = [], enableAll } }, context) =>
    importServers({ client, from, write, enable, enableAll }, context),
});

interface ImportOptions {
  readonly client: string | undefined;
  readonly from: string | undefined;
  readonly write: boolean;
  /** Servers to switch on even though a project's file defines them. */
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
    note(`Saved in ${configPath(home)}. The files of the other programs are unchanged.\n`);
    if (plan.add.some(({ config }) => config.enabled === false))
      note('Servers marked ! are switched off. To switch one on: pincer set NAME enabled true\n');
    if (findHub(home) !== undefined) note('Load them into the running hub: pincer reload\n');
  } else {
    if (plan.add.some(({ isHeldBack }) => isHeldBack))
      note(
        "Servers from a project's file come switched off. To switch them on: --enable NAME or --enable-all\n",
      );
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
    hint:
      meant === undefined
        ? 'See which servers would be added: pincer import'
        : `Did you mean --enable ${meant}?`,
  });
}

/** If only one client was requested and its file is broken, that is an error. */
function refuseIfAllBroken({ files, problems }: Gathered, only: ClientId | undefined): void {
  if (only !== undefined && files.length === 0 && problems[0] !== undefined) throw problems[0].error;
}

/** The plan for `--json`. It contains no secret values. */
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

/** The plan as text, file by file in order of precedence. It contains no secret values. */
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
