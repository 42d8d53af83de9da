/** `pincer add`: connects to a server and saves it if that works. */
import { randomUUID } from 'node:crypto';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { ToolReport } from '../../control/contract/servers.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, askText, openHub, type OpenedHub } from '../../control/client/hub-client.ts';
import { note, print, printJson, printJsonText } from '../terminal/output.ts';
import { widthOfStream, columns, fit } from '../render/columns.ts';
import { defineServer, unusedModule, type AddOptions, type ServerDefinition } from '../servers/definition.ts';
import { changeConfig } from '../settings/change-config.ts';
import { catchInterrupt } from '../terminal/interrupt.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { openWaitingLine } from '../terminal/waiting.ts';
import { shellWord, plural } from '../../lib/text.ts';
import { launcherOf, packageOf } from '../../servers/stdio/download-failure.ts';
import { firstLine } from '../render/text.ts';
import { defineCommand, parseTimeout } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME URL | NAME -- COMMAND …',
  description:
    'Connects to a server, lists its tools, and saves it in the configuration. If the connection fails, nothing is saved.',
  arguments: ['<name>', '[url]'],
  completes: [],
  options: {
    '--header <name:value>': {
      help: 'header to send; $NAME is read from the environment; repeatable',
      many: true,
    },
    '--api-key-env <variable>': 'environment variable that holds the API key',
    '--env <name=value>': {
      help: 'environment variable for the command; $NAME is read from the environment; repeatable',
      many: true,
    },
    '--cwd <folder>': 'working folder of the command',
    '--timeout <ms>': {
      help: 'how long the server may take to start and answer, in milliseconds',
      parse: parseTimeout,
    },
    '--no-check': 'save without connecting',
  },
  run({ words: [name, url], flags, foreign }, context) {
    const { header: headers = [], env = [], apiKeyEnv, cwd, timeout: timeoutMs, check } = flags;
    return add({ name, url, command: foreign, headers, env, apiKeyEnv, cwd, timeoutMs, check }, context);
  },
});

async function add(options: AddOptions, context: Context): Promise<ExitCode> {
  const { name } = options;
  const here = process.cwd();
  const config = defineServer(options, here);
  const module = unusedModule(options, here);
  if (module !== undefined)
    note(
      `The module "${visible(module)}" in this folder is not used. To use it, write --cwd . before the "--".\n`,
    );
  if (!options.check) return saveUnchecked(options, config, context);
  const answer = await connectAndSave({ ...options, config }, context);
  if (context.json)
    printJsonText(`{"ok":true,"server":${JSON.stringify({ name, ...config })},"tools":${answer}}\n`);
  else {
    const shown = { style: styleFor(process.stdout), width: widthOfStream(process.stdout) };
    print(renderAdded(name, JSON.parse(answer) as ToolReport[], shown));
    note(`${placeNote(options, config)}Saved in ${configPath(context.home)}\n`);
  }
  return EXIT.ok;
}

/** Mentions the working folder if it was chosen without --cwd. */
const placeNote = (options: AddOptions, { cwd }: ServerDefinition): string =>
  options.cwd === undefined && typeof cwd === 'string'
    ? `It runs in ${cwd}, because its command names a file there. To choose another folder: --cwd FOLDER\n`
    : '';

interface Adding extends Pick<AddOptions, 'name' | 'timeoutMs'> {
  readonly config: ServerDefinition;
}

/** Returns the tools as the hub's JSON text. Ctrl+C undoes everything. */
async function connectAndSave({ name, config, timeoutMs }: Adding, context: Context): Promise<string> {
  const { json } = context;
  const id = randomUUID();
  const stderr = createStderrView(json);
  using interrupt = catchInterrupt();
  const { signal } = interrupt;
  using waiting = openWaitingLine(waitingFor(config), json);
  stderr.showAbove(waiting.above);
  try {
    const hub = await openHub(context, signal);
    signal.addEventListener('abort', () => {
      waiting.say('Cancelling');
      // The answer below tells whether the cancellation came in time.
      void ask(hub, 'POST servers/cancel', { body: { id } }).catch(() => undefined);
    });
    try {
      signal.throwIfAborted();
      return await askText(hub, 'POST servers', {
        body: { name, config, timeoutMs, id },
        onEvent(event) {
          if ('stderr' in event) stderr.push(event.stderr);
          else if (!signal.aborted) waiting.say(WAITING_FOR_TOOLS);
        },
      });
    } finally {
      if (signal.aborted) await endUnusedHub(hub);
    }
  } catch (error) {
    waiting[Symbol.dispose]();
    throw nothingSaved(signal.aborted ? cancelled(error) : error, { config, lines: stderr.lines() });
  }
}

/** The request was aborted before it reached the hub, or the hub cancelled it. */
const cancelled = (error: unknown): unknown =>
  PincerError.is(error) && error.code !== 'CALL_CANCELLED'
    ? error
    : new PincerError('CALL_CANCELLED', 'Cancelled.');

interface StderrView {
  push(line: string): void;
  showAbove(show: (lines: readonly string[]) => void): void;
  /** The last lines, if they were not shown as they came. */
  lines(): readonly string[];
}

/** Number of stderr lines in an error for a script. On a terminal all lines are shown as they come. */
const MAX_LINES = 20;

function createStderrView(isJson: boolean): StderrView {
  const style = styleFor(process.stderr);
  const isLive = process.stderr.isTTY && !isJson;
  const kept: string[] = [];
  let above: (lines: readonly string[]) => void = () => undefined;
  return {
    push(line) {
      if (isLive) return above([style.dim(`  | ${visible(line)}`)]);
      kept.push(line);
      if (kept.length > MAX_LINES) kept.shift();
    },
    showAbove(show) {
      above = show;
    },
    lines: () => kept,
  };
}

interface Attempt {
  readonly config: ServerDefinition;
  readonly lines: readonly string[];
}

function nothingSaved(error: unknown, { config, lines }: Attempt): PincerError {
  if (PincerError.is(error) && error.data?.['isKept'] === true) return error;
  const { code, message, hint, data } = PincerError.from(error);
  const isOver = /[.!?]$/.test(message);
  return new PincerError(code, `${message}${isOver ? ' ' : '\n'}Nothing was saved.`, {
    hint: code === 'CALL_CANCELLED' ? undefined : betterHint(code, hint, config),
    data: { ...data, ...(lines.length > 0 && { stderr: lines }) },
    cause: error,
  });
}

/** Replaces hints about a saved entry: there is none yet, so the command line must be corrected. */
function betterHint(code: string, hint: string | undefined, { url }: ServerDefinition): string {
  if (code === 'CALL_TIMEOUT') return 'Give it more time: --timeout 300000 (milliseconds).';
  if (hint !== undefined && !/\bservers\.|`pincer status /.test(hint)) return hint;
  return url === undefined
    ? 'Correct the command, then run `pincer add` again.'
    : 'Check that the server is running and that the URL is right, then run `pincer add` again. To save it anyway: --no-check';
}

/** Needs neither a connection nor a hub. */
async function saveUnchecked(
  options: AddOptions,
  config: ServerDefinition,
  context: Context,
): Promise<ExitCode> {
  const { name } = options;
  const { reload, unresolved } = await changeConfig(context, (file) => {
    const servers = (file as { servers?: object } | undefined)?.servers ?? {};
    if (Object.hasOwn(servers, name))
      throw new PincerError('SERVER_EXISTS', `A server "${name}" already exists. Nothing was saved.`, {
        hint: `Choose another name, or change the existing server: pincer set ${name} KEY VALUE`,
      });
    return [{ path: ['servers', name], value: config }];
  });
  if (context.json) printJson({ ok: true, server: { name, ...config }, tools: null });
  else {
    print(
      `${styleFor(process.stdout).bold(name)} is saved but was not tested. Test it: pincer probe ${name}\n`,
    );
    note(`${placeNote(options, config)}Saved in ${configPath(context.home)}\n`);
  }
  if (reload === undefined) for (const message of unresolved) note(`! ${message}.\n`);
  return EXIT.ok;
}

/** Ends a hub that this command has started, if it is not in use. */
async function endUnusedHub(hub: OpenedHub): Promise<void> {
  if (!hub.wasStarted) return;
  try {
    const { attached, callsInFlight, servers } = await ask(hub, 'GET status');
    const isUsed = attached > 0 || callsInFlight > 0 || servers.some(({ state }) => RUNNING.has(state));
    if (!isUsed) await ask(hub, 'POST stop');
  } catch (error) {
    // The hub has already ended.
    if (!PincerError.is(error) || error.code !== 'HUB_UNREACHABLE') throw error;
  }
}

/** A server in one of these states was requested by another command. */
const RUNNING: ReadonlySet<string> = new Set(['connecting', 'ready']);

const WAITING_FOR_TOOLS = 'Connected. Listing its tools';

function waitingFor({ url, command, args }: ServerDefinition): string {
  if (typeof url === 'string') return `Waiting for ${visible(hostOf(url))} to answer`;
  const launch = { command: String(command), args: Array.isArray(args) ? args.map(String) : [] };
  const launcher = launcherOf(launch.command);
  const wanted = launcher === undefined ? undefined : packageOf(launch);
  if (wanted !== undefined)
    return `Waiting for ${launcher} to download and start ${visible(shellWord(wanted))}`;
  return `Waiting for ${visible(launch.command)} to answer "initialize"`;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Width of a description, in columns. */
const MAX_TEXT = 76;
const MIN_TEXT = 20;

interface AddedOptions {
  readonly style: Style;
  readonly width: number;
}

export function renderAdded(
  name: string,
  tools: readonly ToolReport[],
  { style, width }: AddedOptions,
): string {
  const room = width - Math.max(0, ...tools.map((tool) => visible(tool.name).length)) - '    '.length;
  const title = `${style.green('●')} ${style.bold(name)} is connected: ${plural(tools.length, 'tool')}.`;
  const rows = columns(
    tools.map((tool) => [
      `  ${visible(tool.name)}`,
      style.dim(fit(firstLine(tool.definition.description), Math.max(MIN_TEXT, Math.min(MAX_TEXT, room)))),
    ]),
  );
  const next = tools.length === 0 ? [] : ['', `Next: pincer tools ${name}`];
  return [title, ...rows, ...next, ''].join('\n');
}
