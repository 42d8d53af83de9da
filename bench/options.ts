/** The command line of the benchmark. */
import { parseArgs } from 'node:util';

export interface Options {
  rounds: number;
  seconds: number;
  only: string[] | undefined;
  cases: string[];
  json: boolean;
  /** Compares the CPU time per call with the committed ratio, or writes that ratio. */
  check: 'against' | 'write' | undefined;
}

const ALL_CASES = ['stdio', 'http', 'cli'];

export const USAGE = `npm run bench -- [options]
  --rounds N     rounds over all subjects (3)
  --seconds S    measured seconds per level, after 3 s of warm-up (4)
  --only A,B     these subjects: floor, pincer, supergateway, mcp-proxy, mcporter, mcp-hub
  --cases A,B    of stdio, http, cli (all)
  --json         the whole result on stdout instead of the tables
  --check        only: CPU per call as a ratio to the floor, median of 7, against the committed ratio (about 8 minutes)
  --check --write  writes the measured ratio instead`;

export class UsageError extends Error {}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${name} must be a number above 0, not "${text}".`);
  return value;
}

function namesIn(name: string, text: string, known: readonly string[]): string[] {
  const names = text.split(',').map((part) => part.trim());
  const unknown = names.filter((part) => !known.includes(part));
  if (unknown.length > 0)
    throw new UsageError(`--${name}: unknown ${unknown.join(', ')}; known are ${known.join(', ')}.`);
  return names;
}

export function parseOptions(args: string[], subjects: readonly string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string' },
      cases: { type: 'string', default: ALL_CASES.join(',') },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.write && !values.check) throw new UsageError('--write needs --check.');
  return {
    rounds: Math.ceil(positive('rounds', values.rounds)),
    seconds: positive('seconds', values.seconds),
    only: values.only === undefined ? undefined : namesIn('only', values.only, subjects),
    cases: namesIn('cases', values.cases, ALL_CASES),
    json: values.json,
    check: values.check ? (values.write ? 'write' : 'against') : undefined,
  };
}
