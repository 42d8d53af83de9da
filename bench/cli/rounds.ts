/** Measures one call from the command line, ten times each, in turn. */
import { withoutFolders } from '../process/folders.ts';
import { refuseWhenEnding } from '../process/running.ts';
import { createBase } from './base.ts';
import type { Contender } from './contender.ts';
import { createMcporterCall } from './mcporter.ts';
import { runOnce } from './one-shot.ts';
import { createPincerCall } from './pincer.ts';

export interface CliResult {
  name: string;
  subject: string;
  temperature: Contender['temperature'];
  ms: number[];
  /** Servers started during the counted calls. Zero proves that a warm call used the running server. */
  serverStarts: number;
  failures: string[];
}

const TIMES = 10;

function createContenders(names: ReadonlySet<string>): Contender[] {
  const contenders = [createBase()];
  if (names.has('pincer')) contenders.push(createPincerCall('cold'), createPincerCall('warm'));
  if (names.has('mcporter')) {
    contenders.push(
      createMcporterCall('direct'),
      createMcporterCall('daemon-cold'),
      createMcporterCall('daemon-warm'),
    );
  }
  return contenders;
}

async function callOnce(contender: Contender, message: string): Promise<number> {
  try {
    const { ms, stdout } = await runOnce(contender.command(message));
    const echoes = contender.temperature !== 'base';
    if (echoes && !stdout.includes(message)) throw new Error(`got "${stdout.trim()}" for "${message}"`);
    return ms;
  } finally {
    await contender.tearDown();
  }
}

export async function measureCli(
  names: ReadonlySet<string>,
  onProgress: (text: string) => void,
): Promise<CliResult[]> {
  const contenders = createContenders(names);
  const results: CliResult[] = contenders.map(({ name, subject, temperature }) => ({
    name,
    subject,
    temperature,
    ms: [],
    serverStarts: 0,
    failures: [],
  }));
  const startsBefore = contenders.map(() => 0);

  // The first call of each contender fills caches and state folders, and does not count.
  for (let number = 0; number <= TIMES; number += 1) {
    onProgress(number === 0 ? 'command line, not counted' : `command line ${number}/${TIMES}`);
    for (const [index, contender] of contenders.entries()) {
      const result = results[index];
      if (result === undefined || result.failures.length > 0) continue;
      try {
        if (number === 0) await contender.setUp();
        const ms = await callOnce(contender, `hi-${number}`);
        if (number === 0) startsBefore[index] = contender.serverStarts();
        else result.ms.push(ms);
      } catch (error) {
        refuseWhenEnding();
        result.failures.push(withoutFolders(String(error)));
      }
    }
  }
  for (const [index, contender] of contenders.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    result.serverStarts = contender.serverStarts() - (startsBefore[index] ?? 0);
    if (result.temperature === 'warm' && result.serverStarts > 0) {
      result.failures.push(`not warm: ${result.serverStarts} servers were started`);
    }
  }
  return results;
}
