/** Runs the floor: a bare script that starts and initialises the same servers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BENCH_FOLDER, temporaryFolder } from '../process/folders.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import { type Kind, programOf, SERVERS, TOOLS, wallClockMs } from './fleet.ts';

export interface Level {
  inFlight: number;
  pauseMs: number;
  warmUpMs: number;
  measureMs: number;
}

export interface LevelFigures {
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface BareRun {
  /** From the start of its process to the last list. */
  readyMs: number;
  rssBytes: number;
  levels: LevelFigures[];
}

const TIMEOUT_MS = 120_000;

export async function runBare(kind: Kind, atOnce: number, levels: readonly Level[] = []): Promise<BareRun> {
  const folder = temporaryFolder('bare');
  const spec = JSON.stringify({ servers: SERVERS, atOnce, program: programOf(kind), levels });
  const startedAt = wallClockMs();
  // Not a child of the same process group, like the hub.
  const running = await startProcess({
    command: process.execPath,
    args: [join(BENCH_FOLDER, 'fleet', 'bare.mjs'), spec],
    folder,
  });
  try {
    while (!running.exited()) {
      if (wallClockMs() - startedAt > TIMEOUT_MS) throw new Error('the bare script does not end');
      await sleep(20);
    }
    const { readyAt, tools, rssBytes, levels: measured } = JSON.parse(readOutput(folder)) as Printed;
    if (tools !== TOOLS) throw new Error(`${tools} tools instead of ${TOOLS}`);
    return { readyMs: readyAt - startedAt, rssBytes, levels: measured };
  } finally {
    await endProcesses([running.pid]);
  }
}

interface Printed {
  readyAt: number;
  tools: number;
  rssBytes: number;
  levels: LevelFigures[];
}

const readOutput = (folder: string): string => readFileSync(join(folder, 'output.log'), 'utf8');
