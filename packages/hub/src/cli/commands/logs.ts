/** `pincer logs`: shows finished calls, newest last. Reads the state folder directly, so it needs no hub. */
import { setTimeout as delay } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import { OUTCOME_KINDS } from '../../core/outcome.ts';
import { storeFiles } from '../../store/files.ts';
import { openCallLog, type CallLog, type CallQuery, type LoggedCall } from '../../store/call-log.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson, printJsonText } from '../terminal/output.ts';
import { widthOfStream, columns } from '../render/columns.ts';
import { parseSpan, renderSpan, renderTime } from '../render/time.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { isEvent } from '../../core/call/record.ts';
import { visible } from '../../core/visible.ts';
import { formatBytes } from '../render/text.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--server S] [--caller C] [--outcome O] [--since 1h] [--follow]',
  description: 'Shows finished calls, newest last. Works without a running hub.',
  options: {
    '--server <name>': 'only calls to this server',
    '--caller <name>': 'only calls with this token',
    '--outcome <outcome>': 'only this outcome: ok, tool_error, not_executed or outcome_unknown',
    '--method <method>': 'only this method, such as tools/call, prompts/get or sessions/create',
    '--session <id>': 'only this session of a client or an app',
    '--since <time>': 'only calls since then: a duration such as 15m, 1h or 7d, or a date',
    '--limit <n>': 'show at most this many calls; default: 50',
    '--follow': 'keep running and show new calls as they finish',
    '--arguments': 'show the arguments, redacted',
    '--sizes': 'show the sizes of arguments and answers',
    '--ndjson': 'print one JSON object per line',
  },
  run: ({ flags }, context) => logs(flags, context),
});

interface LogsFlags {
  readonly server?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  readonly method?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: string | undefined;
  readonly limit?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly arguments?: boolean | undefined;
  readonly sizes?: boolean | undefined;
  readonly ndjson?: boolean | undefined;
}

const DEFAULT_LIMIT = 50;
const FOLLOW_MS = 500;
const FOLLOW_LIMIT = 10_000;

async function logs(flags: LogsFlags, { home, json }: Context): Promise<ExitCode> {
  const query = readQuery(flags, Date.now());
  if (json && flags.follow === true)
    throw usage('--json cannot be combined with --follow.', 'Use --ndjson --follow.');
  const show = (calls: readonly LoggedCall[], isFirst: boolean): void => {
    if (flags.ndjson === true)
      printJsonText(calls.map((call) => `${JSON.stringify(describe(call))}\n`).join(''));
    else if (json) printJson({ ok: true, calls: calls.map(describe) });
    else {
      const { stdout } = process;
      const parts = { withArguments: flags.arguments === true, withSizes: flags.sizes === true };
      const options = { ...parts, now: Date.now(), withHead: isFirst };
      print(renderCalls(calls, { ...options, style: styleFor(stdout), width: widthOfStream(stdout) }));
    }
  };
  let log = openCallLog(storeFiles(home));
  try {
    const calls = log?.read(query) ?? [];
    show(calls, true);
    if (calls.length === 0 && !json && flags.ndjson !== true) note('No matching calls.\n');
    for (let last = lastId(calls, log); flags.follow === true;) {
      await delay(FOLLOW_MS);
      log ??= openCallLog(storeFiles(home));
      const next = log?.read({ ...query, after: last, limit: FOLLOW_LIMIT }) ?? [];
      if (next.length > 0) show(next, false);
      last = next.at(-1)?.id ?? last;
    }
    return EXIT.ok;
  } finally {
    log?.[Symbol.dispose]();
  }
}

/** The id after which `--follow` continues. If no call matches, this is the newest call of all. */
const lastId = (calls: readonly LoggedCall[], log: CallLog | undefined): number =>
  calls.at(-1)?.id ?? log?.read({ limit: 1 })[0]?.id ?? 0;

function readQuery(
  { server, caller, outcome, method, session, since, limit }: LogsFlags,
  now: number,
): CallQuery {
  if (outcome !== undefined && !OUTCOME_KINDS.some((kind) => kind === outcome))
    throw usage(`"${outcome}" is not an outcome.`, `Use one of ${OUTCOME_KINDS.join(', ')}.`);
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isSafeInteger(count) || count < 1)
    throw usage(`--limit takes a number, not "${limit}".`, 'For example: --limit 100');
  return {
    server,
    caller,
    outcome,
    method,
    session,
    since: since === undefined ? undefined : readSince(since, now),
    limit: count,
  };
}

function readSince(text: string, now: number): number {
  const span = parseSpan(text);
  const time = span === undefined ? Date.parse(text) : now - span;
  if (!Number.isNaN(time)) return Math.trunc(time);
  throw usage(`"${text}" is not a time.`, 'Use --since 15m, 1h, 7d, or a date such as 2026-11-16T08:00.');
}

const describe = ({ at, arguments: given, ...call }: LoggedCall): object => ({
  at: new Date(at).toISOString(),
  ...call,
  arguments: given === null ? null : parsed(given),
});

/** Long arguments were truncated when they were recorded, so they may not be valid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const usage = (message: string, hint: string): PincerError => new PincerError('USAGE', message, { hint });

interface CallsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
  readonly withArguments: boolean;
  readonly withSizes: boolean;
  readonly withHead: boolean;
}

/** Colour is never the only sign: the outcome is always printed as a word. */
const COLOURS = {
  ok: 'green',
  tool_error: 'red',
  not_executed: 'yellow',
  outcome_unknown: 'red',
} as const;

/** A line per call, with its arguments below it if requested. */
export function renderCalls(calls: readonly LoggedCall[], options: CallsOptions): string {
  if (calls.length === 0) return '';
  const { style, width, withHead, withSizes } = options;
  const sizes = withSizes ? ['SENT', 'ANSWER'] : [];
  const head = ['TIME', 'OUTCOME', 'CALLER', 'TOOK', ...sizes, 'CALL'].map((title) => style.dim(title));
  const rows = calls.map((call) => rowOf(call, options));
  const table = columns(withHead ? [head, ...rows] : rows, width);
  const shown = withHead ? table.slice(1) : table;
  const lines = shown.flatMap((line, index) => {
    const given = calls[index]!.arguments;
    return options.withArguments && given !== null ? [line, `    ${style.dim(visible(given))}`] : [line];
  });
  return `${[...(withHead ? [table[0]!] : []), ...lines].join('\n')}\n`;
}

function rowOf(call: LoggedCall, { style, now, withSizes }: CallsOptions): string[] {
  const colour = Object.hasOwn(COLOURS, call.outcome) ? COLOURS[call.outcome as 'ok'] : 'dim';
  const what = whatOf(call);
  const sizes = withSizes ? [call.argumentBytes, call.answerBytes].map(sizeOf) : [];
  return [
    renderTime(call.at, now),
    style[colour](call.outcome),
    visible(call.caller),
    // An event such as the start of a session has no duration.
    isEvent(call) && call.durationMs === 0 ? '' : renderSpan(call.durationMs),
    ...sizes,
    visible(call.code === null ? what : `${what}  ${call.code}`),
  ];
}

function whatOf({ server, method, tool, session, surface }: LoggedCall): string {
  if (method === 'tools/call') return `${server}.${tool}`;
  const about = isEvent({ method, surface }) ? (session ?? '') : tool;
  return `${server} ${method} ${about}`.trimEnd();
}

const sizeOf = (bytes: number | null): string => (bytes === null ? '' : formatBytes(bytes));
