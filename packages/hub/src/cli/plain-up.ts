import type { UpOptions } from './commands/up.ts';

const EVERYWHERE: ReadonlySet<string> = new Set(['--json', '--debug']);

/** What follows `up` where it is as services and other commands write it; undefined: that is for the program to read. */
export function plainUp(words: readonly string[]): UpOptions | undefined {
  const [flag, value, ...more] = words.filter((word) => !EVERYWHERE.has(word));
  if (flag === undefined) return { port: undefined, background: false };
  if (flag === '--background' && value === undefined) return { port: undefined, background: true };
  const isPort =
    flag === '--port' && value !== undefined && /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
  return isPort && more.length === 0 ? { port: Number(value), background: false } : undefined;
}
