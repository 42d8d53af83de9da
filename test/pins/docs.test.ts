/** Pages that promise something are held to it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addHubGauges } from '../../packages/hub/src/observe/hub-gauges.ts';
import { createMetrics } from '../../packages/hub/src/observe/metrics.ts';
import { addBuildInfo, addProcessGauges } from '../../packages/hub/src/observe/process-gauges.ts';
import { startTelemetry } from '../../packages/hub/src/observe/telemetry/telemetry.ts';

const docs = join(import.meta.dirname, '../../docs');
const read = (page: string): string => readFileSync(join(docs, page), 'utf8');

/** Cells of the rows of a page's tables, one list per row. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

const targets = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);

describe('security.md', () => {
  it('links to what there is', () => {
    const links = targets(read('security.md'));
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
  });

  it('names a test for each known incident', () => {
    const [, table = ''] = read('security.md').split('## Known incidents');
    const rows = rowsOf(table).slice(2);
    expect(rows.length).toBeGreaterThan(20);
    for (const [, , tests = ''] of rows)
      expect(targets(tests).filter((test) => test.endsWith('.test.ts'))).not.toEqual([]);
  });
});

describe('observability.md', () => {
  it('links to what there is', () => {
    expect(targets(read('observability.md')).filter((link) => !existsSync(join(docs, link)))).toEqual([]);
  });

  it('has every metric, and no other', async () => {
    const server = { name: 's', state: 'ready', attempts: 0, nextTryAt: undefined, inFlight: 0, repeated: 0 };
    const counted = { connects: 1, discoveries: 1, discoveryFailures: 0, isStale: false, tools: 1, held: 0 };
    const metrics = createMetrics();
    addProcessGauges(metrics);
    addBuildInfo(metrics, '0');
    addHubGauges(metrics, {
      now: () => 0,
      callsInFlight: () => 0,
      slotsInUse: () => 0,
      streamsOpen: () => 0,
      sessions: () => 0,
      approvalsWaiting: () => 0,
      apps: { sessions: () => 0, bridges: () => 0, callsWaiting: () => 0 },
      audit: { written: 0, waiting: 0, dropped: 0 },
      servers: () => [{ ...server, ...counted, lastDiscoveryAt: 1 }],
    });
    const telemetry = startTelemetry(
      {
        endpoint: 'http://127.0.0.1:1',
        headers: {},
        traces: false,
        metrics: false,
        intervalMs: 1_000,
        sample: 1,
      },
      {
        clock: { now: () => 0, elapsed: () => 0 },
        log: { debug() {}, info() {}, warn() {}, error() {} },
        version: '0',
        families: () => [],
      },
    );
    metrics.collect(() => telemetry.families());
    const [, after = ''] = read('observability.md').split('| metric ');
    const [table = ''] = after.split('\n\n');
    const written = rowsOf(table)
      .filter(([name]) => name?.startsWith('`'))
      .map(([name, type]) => `${name?.replaceAll('`', '')} ${type}`);
    const families = metrics.families().map(({ name, type }) => `${name} ${type}`);
    // Only Linux says how many files are open.
    const isPortable = (line: string): boolean => !line.startsWith('process_open_fds');
    expect(written.filter(isPortable).sort()).toEqual(families.filter(isPortable).sort());
    await telemetry.close();
  });
});
