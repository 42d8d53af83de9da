/** `pincer logs`: finished calls, the newest last. Reads the state folder itself, so no hub is needed. */
import { setTimeout as delay } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import { OUTCOME_KINDS } from '../../core/outcome.ts';
import { statePath } from '../../owner/state-folder.ts';
import { openCallLog, type CallLog, type CallQuery, type LoggedCall } from '../../store/call-log.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson, printJsonText } from '../terminal/output.ts';
import { widthOfStream } from '../render/columns.ts';
import { renderCalls } from '../render/calls.ts';
import { parseSpan } from '../render/time.ts';
import { styleFor } from '../terminal/style.ts';

export interface LogsFlags {
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

export async function logs(flags: LogsFlags, { home, json }: Context): Promise<ExitCode> {
  const query = readQuery(flags, Date.now());
  if (json && flags.follow === true)
    throw usage('--json is one document, which never ends while calls are followed.', 'Use --ndjson.');
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
  let log = openCallLog(statePath(home));
  try {
    const calls = log?.read(query) ?? [];
    show(calls, true);
    if (calls.length === 0 && !json && flags.ndjson !== true) note('No such call has been recorded.\n');
    for (let last = lastId(calls, log); flags.follow === true;) {
      await delay(FOLLOW_MS);
      log ??= openCallLog(statePath(home));
      const next = log?.read({ ...query, after: last, limit: FOLLOW_LIMIT }) ?? [];
      if (next.length > 0) show(next, false);
      last = next.at(-1)?.id ?? last;
    }
    return EXIT.ok;
  } finally {
    log?.[Symbol.dispose]();
  }
}

/** What comes later is newer than everything that is there, whatever was asked for. */
const lastId = (calls: readonly LoggedCall[], log: CallLog | undefined): number =>
  calls.at(-1)?.id ?? log?.read({ limit: 1 })[0]?.id ?? 0;

function readQuery(
  { server, caller, outcome, method, session, since, limit }: LogsFlags,
  now: number,
): CallQuery {
  if (outcome !== undefined && !OUTCOME_KINDS.some((kind) => kind === outcome))
    throw usage(`"${outcome}" is no outcome.`, `There is ${OUTCOME_KINDS.join(', ')}.`);
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isSafeInteger(count) || count < 1)
    throw usage(`--limit takes a number, not "${limit}".`, 'Write --limit 100.');
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
  throw usage(`"${text}" is no time.`, 'Write --since 15m, 1h, 7d, or a date such as 2026-11-16T08:00.');
}

const describe = ({ at, arguments: given, ...call }: LoggedCall): object => ({
  at: new Date(at).toISOString(),
  ...call,
  arguments: given === null ? null : parsed(given),
});

/** They were cut where they were long, so that they need not be JSON any more. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const usage = (message: string, hint: string): PincerError => new PincerError('USAGE', message, { hint });
