/**
 * `npm run bench -- --check`: checks whether the path of a call became slower. Floor and Pincer take turns, seven times,
 * at 32 in flight. The CPU time per call, as a ratio to the floor of the same round, is compared with the committed ratio.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureAllRounds } from './measure/all-rounds.ts';
import type { HttpRound } from './measure/http-round.ts';
import { BENCH_FOLDER } from './process/folders.ts';
import type { HttpCase, Subject } from './subjects/subject.ts';

type Ratios = Record<HttpCase, number>;

const FILE = join(BENCH_FOLDER, 'committed-ratios.json');
const CASES: readonly HttpCase[] = ['stdio', 'http'];
const ROUNDS = 7;
const IN_FLIGHT = 32;
const WARM_UP_MS = 3_000;
/** Two runs of the same build on a quiet machine differ by less than this. */
const TOLERANCE = 0.1;

function readRatios(): Ratios {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Ratios;
  } catch (error) {
    throw new Error('There is no committed ratio yet: npm run bench -- --check --write', { cause: error });
  }
}

export interface CheckOptions {
  subjects: readonly Subject[];
  seconds: number;
  /** Writes the measured ratios instead of comparing them. */
  isWriting: boolean;
  onProgress(text: string): void;
}

/** Returns whether no case is slower than committed. */
export async function check({ subjects, seconds, isWriting, onProgress }: CheckOptions): Promise<boolean> {
  if (!isWriting) readRatios();
  const rounds = await measureAllRounds({
    rounds: ROUNDS,
    cases: CASES,
    subjects: subjects.filter(({ name }) => name === 'floor' || name === 'pincer'),
    timing: { warmUpMs: WARM_UP_MS, measureMs: seconds * 1000 },
    levels: [IN_FLIGHT],
    onProgress,
  });
  const measured = Object.fromEntries(CASES.map((kind) => [kind, ratiosOf(rounds, kind)]));
  if (isWriting) {
    const medians = CASES.map((kind) => [kind, Number(median(measured[kind]!).toFixed(2))]);
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(medians), null, 2)}\n`);
  }
  const committed = readRatios();
  return CASES.map((kind) => isWithin(kind, measured[kind]!, committed[kind])).every(Boolean);
}

function isWithin(kind: HttpCase, ratios: readonly number[], committed: number): boolean {
  const ratio = median(ratios);
  const limit = committed * (1 + TOLERANCE);
  const passes = ratio <= limit;
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `${passes ? 'ok    ' : 'SLOWER'} ${kind.padEnd(5)} CPU per call ${ratio.toFixed(2)}× the floor ` +
      `(${spread}); committed ${committed.toFixed(2)}×, at most ${limit.toFixed(2)}×`,
  );
  return passes;
}

/** One ratio per round. A failed round or a wrong answer fails the check. */
function ratiosOf(rounds: readonly HttpRound[], kind: HttpCase): number[] {
  const cpuOf = (round: number, subject: string): number => {
    const found = rounds.find(
      (each) => each.case === kind && each.round === round && each.subject === subject,
    );
    const [level] = found?.levels ?? [];
    if (level === undefined || level.errors > 0)
      throw new Error(
        `Round ${round}, ${kind}, ${subject}: ${found?.failure ?? 'there were wrong answers'}.`,
      );
    return level.cpuMicrosPerCall;
  };
  return Array.from({ length: ROUNDS }, (_, at) => cpuOf(at + 1, 'pincer') / cpuOf(at + 1, 'floor'));
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
