import { visible } from '../../core/visible.ts';
import type { LoggedCall } from '../../store/call-log.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { renderSpan, renderTime } from './time.ts';

export interface CallsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
  readonly withArguments: boolean;
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
  const { style, width, withHead } = options;
  const head = ['TIME', 'OUTCOME', 'CALLER', 'TOOK', 'CALL'].map((title) => style.dim(title));
  const rows = calls.map((call) => rowOf(call, options));
  const table = columns(withHead ? [head, ...rows] : rows, width);
  const shown = withHead ? table.slice(1) : table;
  const lines = shown.flatMap((line, index) => {
    const given = calls[index]!.arguments;
    return options.withArguments && given !== null ? [line, `    ${style.dim(visible(given))}`] : [line];
  });
  return `${[...(withHead ? [table[0]!] : []), ...lines].join('\n')}\n`;
}

function rowOf(call: LoggedCall, { style, now }: CallsOptions): string[] {
  const colour = Object.hasOwn(COLOURS, call.outcome) ? COLOURS[call.outcome as 'ok'] : 'dim';
  const what =
    call.method === 'tools/call'
      ? `${call.server}.${call.tool}`
      : `${call.server} ${call.method} ${call.tool}`;
  return [
    renderTime(call.at, now),
    style[colour](call.outcome),
    visible(call.caller),
    renderSpan(call.durationMs),
    visible(call.code === null ? what : `${what}  ${call.code}`),
  ];
}
