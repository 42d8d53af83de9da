import type { UpOptions } from './commands/up.ts';

const EVERYWHERE: ReadonlySet<string> = new Set(['--json', '--debug']);

/** What follows `up` where it is as services and other commands write it; undefined: that is for the program to read. */
export function plainUp(words: readonly string[]): UpOptions | undefined {
  const own = words.filter((word) => !EVERYWHERE.has(word));
  const untilEof = own.at(-1) === '--until-eof';
  const [flag, value, ...more] = untilEof ? own.slice(0, -1) : own;
  if (flag === undefined) return { port: undefined, background: false, untilEof };
  if (flag === '--background' && value === undefined && !untilEof)
    return { port: undefined, background: true, untilEof };
  const isPort =
    flag === '--port' && value !== undefined && /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
  return isPort && more.length === 0 ? { port: Number(value), background: false, untilEof } : undefined;
}
