/** `pincer connect`: connects an MCP client to Pincer. Prints what to paste; with `--write` it edits the client's file. */
import { PincerError } from '../../core/errors.ts';
import { readToken } from '../../owner/tokens.ts';
import { applyClient } from '../connect/apply.ts';
import { TOKEN_VARIABLE, type ConnectClient, CONNECT_CLIENTS } from '../connect/clients.ts';
import { factsOf, type ConnectFacts, type Mode } from '../connect/facts.ts';
import { findClients, type FoundClient } from '../connect/find.ts';
import { snippetOf } from '../connect/snippet.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { namedClient, ownPorts, placeHere } from '../clients/here.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { shellWord, plural } from '../../lib/text.ts';
import { shortener } from '../render/text.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { visible } from '../../core/visible.ts';
import { columns, fit } from '../render/columns.ts';
import type { DiffLine } from '../connect/edit-file.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[CLIENT] [--write] [--server NAME]',
  description:
    "Connects an MCP client to Pincer. Prints the settings to add to the client; with --write, adds them to the client's file and keeps the rest of it.\nWithout CLIENT, lists the clients: Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf, OpenClaw, mcporter, MCP Inspector.",
  arguments: ['[client]'],
  completes: CONNECT_CLIENTS.map(({ id }) => id),
  options: {
    '--write': "edit the client's file; without it nothing is changed",
    '--server <name>': 'connect only to this server, with its own tool names',
    '--stdio': { help: 'let the client start `pincer stdio`, which needs no token', conflicts: '--http' },
    '--http': 'let the client use the URL of a running hub, with a token',
    '--show-token': 'print the token in clear text',
  },
  run({ words: [client], flags: { server, stdio, http, write, showToken } }, context) {
    if (client === undefined) return listClients(context);
    const mode = stdio ? 'stdio' : http ? 'http' : undefined;
    return connectClient(client, { server, mode, write, showToken }, context);
  },
});

interface ConnectOptions {
  readonly server: string | undefined;
  /** Undefined: the client's preferred mode. */
  readonly mode: Mode | undefined;
  readonly write: boolean;
  readonly showToken: boolean;
}

function listClients({ home, entry, json }: Context): ExitCode {
  const place = placeHere();
  const clients = findClients(place, { ports: ownPorts(home, process.env), entry });
  if (json) {
    const described = clients.map(({ client, file, isFound, entries }) => ({
      client: client.id,
      title: client.title,
      found: isFound,
      connected: entries !== undefined && entries.length > 0,
      entries: entries ?? null,
      file,
    }));
    printJson({ ok: true, clients: described });
    return EXIT.ok;
  }
  print(renderClients(clients, shortener(place.home, place.cwd), styleFor(process.stdout)));
  note('Connect one: pincer connect CLIENT\n');
  return EXIT.ok;
}

function connectClient(name: string, options: ConnectOptions, context: Context): ExitCode {
  const client = namedClient(name, CONNECT_CLIENTS);
  const mode = options.mode ?? client.modes[0];
  if (!client.modes.includes(mode))
    throw new PincerError('USAGE', `${client.title} cannot use a URL; it can only start a program.`, {
      hint: `Omit --${mode}: pincer connect ${client.id}`,
    });
  const facts = factsOf(options.server, context, process.env);
  const task: Task = { client, mode, facts, options };
  return options.write ? write(task, context.json) : show(task, context.json);
}

interface Task {
  readonly client: ConnectClient;
  readonly mode: Mode;
  readonly facts: ConnectFacts;
  readonly options: ConnectOptions;
}

function show({ client, mode, facts, options }: Task, json: boolean): ExitCode {
  const place = placeHere();
  const file = client.file(place);
  const shown = options.showToken ? (readToken(facts.tokenFile) ?? undefined) : undefined;
  const { command, lines, variable } = snippetOf(client, mode, facts, shown);
  if (json) {
    const { tokenFile, name, url } = facts;
    const how = mode === 'http' ? { url, tokenFile } : {};
    const what = { command: command ?? null, lines };
    printJson({ ok: true, written: false, client: client.id, mode, name, ...how, file, ...what });
    return EXIT.ok;
  }
  print(command === undefined ? lines : `${command}\n`);
  const path = shortener(place.home, place.cwd)(file);
  const again = `pincer connect ${client.id}${flagsOf(options)} --write`;
  note(
    command === undefined
      ? `Put this into ${path}, or let Pincer do it: ${again}\n`
      : `Run this, or let Pincer write ${path}: ${again}\n`,
  );
  const needsVariable = command === undefined ? variable.lines : variable.command;
  if (needsVariable && shown === undefined) noteVariable(client, facts);
  else if (mode === 'http' && command === undefined) note(`The token is in ${facts.tokenFile}\n`);
  noteHub(mode, facts);
  return EXIT.ok;
}

function write({ client, mode, facts, options }: Task, json: boolean): ExitCode {
  const place = placeHere();
  const { showToken } = options;
  const { file, diff, backup, hasToken } = applyClient(client, facts, { mode, place, showToken });
  const changed = diff.length > 0;
  if (json) {
    printJson({ ok: true, written: true, client: client.id, mode, name: facts.name, file, changed, backup });
    return EXIT.ok;
  }
  const path = shortener(place.home, place.cwd)(file);
  if (!changed) {
    print(`${client.title} is already connected: ${path}\n`);
    return EXIT.ok;
  }
  print(renderDiff(diff, styleFor(process.stdout)));
  note(`${client.title} is connected: ${path}\n`);
  if (backup !== undefined) note(`The previous file is saved as ${backup}\n`);
  if (hasToken) note('The file contains the token, so only you can read it now (mode 0600).\n');
  else if (mode === 'http') note(`${client.title} asks for the token once. It is in ${facts.tokenFile}\n`);
  for (const text of client.notes?.(mode) ?? []) note(`${text}\n`);
  noteHub(mode, facts);
  return EXIT.ok;
}

const flagsOf = ({ server, mode }: ConnectOptions): string =>
  `${server === undefined ? '' : ` --server ${shellWord(server)}`}${mode === undefined ? '' : ` --${mode}`}`;

const noteVariable = ({ title }: ConnectClient, { tokenFile }: ConnectFacts): void =>
  note(
    `${TOKEN_VARIABLE} must be set where ${title} is started: export ${TOKEN_VARIABLE}="$(cat ${shellWord(tokenFile)})"\n`,
  );

function noteHub(mode: Mode, { url, isListening }: ConnectFacts): void {
  if (mode === 'http' && !isListening)
    note(`No hub is listening at ${url}. Start it: pincer up, or pincer service install\n`);
}

function renderClients(
  clients: readonly FoundClient[],
  shorten: (path: string) => string,
  style: Style,
): string {
  const head = ['', 'CLIENT', 'NAME', 'STATE', 'FILE'].map((title) => style.dim(title));
  const rows = clients.map(({ client, file, isFound, entries }) => [
    entries !== undefined && entries.length > 0
      ? style.green('●')
      : isFound
        ? style.yellow('○')
        : style.dim('-'),
    style.bold(client.id),
    client.title,
    stateOf(isFound, entries),
    style.dim(visible(shorten(file))),
  ]);
  const found = clients.filter(({ isFound }) => isFound);
  const connected = clients.filter(({ entries }) => entries !== undefined && entries.length > 0);
  const sum = `${plural(found.length, 'client')} found, ${connected.length} connected.`;
  return [...columns([head, ...rows]), '', sum, ''].join('\n');
}

function stateOf(isFound: boolean, entries: readonly string[] | undefined): string {
  if (entries === undefined) return 'Not readable';
  if (entries.length > 0) return 'Connected';
  return isFound ? 'Not connected' : 'Not found here';
}

/** A client may keep its whole file in one line. */
const MAX_LINE = 200;

const renderDiff = (lines: readonly DiffLine[], style: Style): string =>
  lines
    .map(({ sign, text }) => {
      const line = `${sign} ${visible(fit(text.replaceAll('\t', '  '), MAX_LINE))}`.trimEnd();
      return `${sign === '+' ? style.green(line) : sign === '-' ? style.red(line) : line}\n`;
    })
    .join('');
