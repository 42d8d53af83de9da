import { isEvent } from '../../core/call/event-record.ts';
import { visible } from '../../core/visible.ts';
import type { LoggedCall } from '../../store/call-log.ts';
import type { Style } from '../terminal/style.ts';
import { formatBytes } from './bytes.ts';
import { columns } from './columns.ts';
import { renderSpan, renderTime } from './time.ts';

export interface CallsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
  readonly withArguments: boolean;
  /** Of arguments and answers. */
  readonly withSizes: boolean;
  readonly withHead: boolean;
}

/** Never colour alone: the word says the same. */
const COLOURS = {
  ok: 'green',
  tool_error: 'red',
  not_executed: 'yellow',
  outcome_unknown: 'red',
} as const;

/** A line per call; its arguments below it where they are wanted. */
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
    // What happens in no time was not called.
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
