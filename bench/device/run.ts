/** `npm run bench:device`: the overhead of the hub for a screenshot and for the start of a program. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPincer } from '../prepare.ts';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import { runBench } from '../process/run-bench.ts';
import { machineFacts, sourceState } from '../report/machine.ts';
import { bareSpawn, openBareScreen } from './bare.ts';
import { startDisplay } from './display.ts';
import { startDeviceHub } from './hub.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, built: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const WARM_UP = 10;
const SCREENS = [
  { number: 187, width: 1280, height: 800, isWritten: false },
  { number: 188, width: 1920, height: 1080, isWritten: true },
];

interface Row {
  what: string;
  /** Milliseconds of each round. */
  bare: number[];
  pincer: number[];
}

/** Alternates both, so that other load on the machine affects both. */
async function compare(
  what: string,
  bare: () => Promise<number>,
  pincer: () => Promise<number>,
): Promise<Row> {
  const row: Row = { what, bare: [], pincer: [] };
  for (let round = 0; round < rounds + WARM_UP; round++) {
    const took = [await bare(), await pincer()] as const;
    if (round < WARM_UP) continue;
    row.bare.push(took[0]);
    row.pincer.push(took[1]);
  }
  return row;
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

function report(rows: readonly Row[]): string {
  const lines = rows.map(({ what, bare, pincer }) => {
    const [by, over] = [median(bare), median(pincer)];
    return `${what.padEnd(52)} ${by.toFixed(1).padStart(8)} ms ${over.toFixed(1).padStart(8)} ms ${(over / by).toFixed(2).padStart(6)}x ${(over - by).toFixed(1).padStart(7)} ms`;
  });
  return [`${' '.repeat(52)} alone    by hub  ratio  difference`, ...lines].join('\n');
}

async function main(): Promise<void> {
  if (!values.built) buildPincer();
  const loadAverageBefore = loadavg();
  const rows: Row[] = [];
  for (const wanted of SCREENS) {
    const display = await startDisplay(wanted);
    const hub = await startDeviceHub(display);
    // Measured first: a process that holds images takes longer to start another process.
    if (!wanted.isWritten)
      rows.push(
        await compare('system.run of true', bareSpawn, () =>
          hub.call('system.run', { command: ['/usr/bin/true'] }),
        ),
      );
    const screen = openBareScreen(display);
    const what = `screen.snapshot, ${wanted.width}x${wanted.height}, ${wanted.isWritten ? 'full of text' : 'plain'}`;
    rows.push(
      await compare(
        what,
        () => screen.snapshot(),
        () => hub.call('screen.snapshot', {}),
      ),
    );
    rows.push(
      await compare(
        `${what}, over /mcp`,
        () => screen.snapshot(),
        () => hub.call('device__screen_snapshot', {}, '/mcp'),
      ),
    );
    screen.close();
  }
  const text = report(rows);
  console.log(text);
  const result = {
    date: new Date().toISOString(),
    ...sourceState(),
    machine: machineFacts(loadAverageBefore),
    rows,
  };
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `device-${result.date.slice(0, 10)}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result)}\n`);
  console.error(`All rounds: ${relative(ROOT_FOLDER, file)}`);
}

await runBench(main);
