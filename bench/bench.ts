/** The whole measurement, from the options to the document. */
import { loadavg } from 'node:os';
import { measureCli } from './cli/rounds.ts';
import { measureAllRounds } from './measure/all-rounds.ts';
import type { Options } from './options.ts';
import { machineFacts, sourceState } from './report/machine.ts';
import { summariseRounds } from './report/medians.ts';
import type { BenchResult } from './report/result.ts';
import { floorDigest } from './subjects/floor.ts';
import { installedVersion } from './subjects/installed.ts';
import type { Subject } from './subjects/subject.ts';

const WARM_UP_SECONDS = 3;

export async function measure(
  { rounds, seconds, cases }: Options,
  subjects: readonly Subject[],
  onProgress: (text: string) => void,
): Promise<BenchResult> {
  const loadAverageBefore = loadavg();
  const httpRounds = await measureAllRounds({
    rounds,
    cases: (['stdio', 'http'] as const).filter((kind) => cases.includes(kind)),
    subjects,
    timing: { warmUpMs: WARM_UP_SECONDS * 1000, measureMs: seconds * 1000 },
    onProgress,
  });
  const names = new Set(subjects.map(({ name }) => name));
  const cli = cases.includes('cli') ? await measureCli(names, onProgress) : [];
  return {
    date: new Date().toISOString(),
    ...sourceState(),
    options: { rounds, seconds, warmUpSeconds: WARM_UP_SECONDS },
    machine: machineFacts(loadAverageBefore),
    floorSha256: floorDigest(),
    upstream: {
      stdio: `@modelcontextprotocol/sdk ${installedVersion('@modelcontextprotocol/sdk')}`,
      http: 'node:http by hand',
    },
    loadGenerator: `undici ${installedVersion('undici')}`,
    subjects: subjects.map((subject) => ({
      name: subject.name,
      kind: subject.kind,
      version: subject.version(),
      cannot: subject.cannot,
    })),
    summary: summariseRounds(httpRounds),
    rounds: httpRounds,
    cli,
  };
}
