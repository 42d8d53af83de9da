/** The official suite as a program, and what it says. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Revision } from './targets.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist',
  'index.js',
);

export type Leg = 'server' | 'client';

export interface Check {
  id: string;
  name: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
  description: string;
  details?: unknown;
}

export interface Requirements {
  scored: string[];
  unscored: string[];
}

/** Which scenarios a revision asks of a leg, in the suite's own words. */
export async function requirementsOf(revision: Revision, leg: Leg): Promise<Requirements> {
  const { output } = await run(['list', '--requirements', revision]);
  const [, section = ''] = output.split(leg === 'server' ? 'Server scenarios' : 'Client scenarios');
  const scored = [...section.split('\n\n')[0]!.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name!);
  const unscored = [...output.matchAll(/^ {4}- (\S+) \[(\w+)\]$/gm)].flatMap(([, name, of]) =>
    of === leg ? [name!] : [],
  );
  if (scored.length === 0) throw new Error(`the suite lists nothing for ${revision}:\n${output}`);
  return { scored, unscored };
}

/** All server scenarios of a revision, one after the other. A scenario that broke has no checks. */
export const runServerScenarios = (url: string, revision: Revision): Promise<Map<string, Check[]>> =>
  withResults(async (folder) => {
    await run(['server', '--url', url, '--requirements', revision, '-o', folder]);
  });

export interface ClientRun {
  checks: Check[];
  /** What the suite said of the client itself: that it timed out, or ended with an error. */
  complaint?: string;
}

export async function runClientScenario(
  command: string,
  scenario: string,
  revision: Revision,
): Promise<ClientRun> {
  let output = '';
  const checks = await withResults(async (folder) => {
    const args = ['--command', command, '--scenario', scenario, '--spec-version', revision, '--force'];
    ({ output } = await run(['client', ...args, '--timeout', '90000', '-o', folder]));
  });
  const complaint = /CLIENT (?:TIMED OUT|EXITED WITH ERROR)/.test(output) ? tail(output) : undefined;
  return { checks: checks.get(scenario) ?? [], ...(complaint === undefined ? {} : { complaint }) };
}

/** What the client wrote last before it ended. */
const tail = (output: string): string =>
  /Stderr:\n([\s\S]*?)(?:\n\n|$)/.exec(output)?.[1]?.trim() ?? 'the client timed out';

/** Each scenario has a folder of its own: `[server-]<scenario>-<time>`; a slash in its name makes folders, too. */
async function withResults(work: (folder: string) => Promise<void>): Promise<Map<string, Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'pincer-conformance-'));
  try {
    await work(folder);
    const results = new Map<string, Check[]>();
    for (const file of await readdir(folder, { recursive: true })) {
      const scenario = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/.exec(file)?.[1];
      if (scenario === undefined) continue;
      results.set(scenario, JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[]);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(args: string[]): Promise<{ output: string }> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: path, NO_COLOR: '1', PINCER_DEVICE: 'off' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ output }));
  });
}
