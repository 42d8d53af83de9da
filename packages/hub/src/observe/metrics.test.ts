import { describe, expect, it } from 'vitest';
import { eventRecord } from '../core/call/record.ts';
import type { CallRecord } from '../core/ports.ts';
import { numbers } from './family.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { addBuildInfo, addProcessGauges } from './process-gauges.ts';
import { verifies } from '../../../../test/verifies.ts';

const call = (changes: Partial<CallRecord> = {}): CallRecord => ({
  at: 0,
  caller: 'c',
  surface: 's',
  server: 'github',
  method: 'tools/call',
  tool: 't',
  outcome: 'ok',
  code: undefined,
  durationMs: 3,
  arguments: undefined,
  ...changes,
});

interface Family {
  type: string;
  help: string;
  samples: Map<string, number>;
}

const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)$/;

/** Parses the text like a scraper, and rejects what a scraper would reject. */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: [string, Family] | undefined;
  if (!text.endsWith('\n')) throw new Error('no line end');
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP' && name !== undefined) {
      if (families.has(name)) throw new Error(`${name} twice`);
      current = [name, { type: '', help: rest ?? '', samples: new Map() }];
      families.set(...current);
    } else if (kind === 'TYPE' && current !== undefined && current[0] === name) {
      current[1].type = rest ?? '';
    } else {
      addSample(line, current);
    }
  }
  return families;
}

function addSample(line: string, current: [string, Family] | undefined): void {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || current === undefined) throw new Error(`unreadable: ${line}`);
  const [family, { samples }] = current;
  if (!/^(_bucket|_sum|_count)?$/.test(name.replace(family, ''))) throw new Error(`${name} in ${family}`);
  const key = `${name.slice(family.length)}{${labels}}`;
  if (samples.has(key)) throw new Error(`${line} twice`);
  samples.set(key, Number(value));
}

const family = (metrics: Metrics, name: string): Family => {
  const found = parse(metrics.render()).get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe('createMetrics', () => {
  it('counts calls by server and outcome', () => {
    verifies('004-16-metrics');
    const metrics = createMetrics();
    metrics.callEnded(call());
    metrics.callEnded(call());
    metrics.callEnded(call({ outcome: 'outcome_unknown' }));
    metrics.callEnded(call({ server: 'files', outcome: 'tool_error' }));
    const { type, samples } = family(metrics, 'pincer_calls_total');
    expect(type).toBe('counter');
    expect(samples.get('{server="github",outcome="ok"}')).toBe(2);
    expect(samples.get('{server="github",outcome="outcome_unknown"}')).toBe(1);
    expect(samples.get('{server="github",outcome="not_executed"}')).toBe(0);
    expect(samples.get('{server="files",outcome="tool_error"}')).toBe(1);
  });

  it('counts events of apps separately from calls', () => {
    const metrics = createMetrics();
    const event = { at: 0, caller: 'web', app: 'web', session: 'ab' } as const;
    metrics.callEnded(eventRecord({ ...event, method: 'bridge/connect', outcome: 'ok' }));
    metrics.callEnded(eventRecord({ ...event, method: 'bridge/connect', outcome: 'ok' }));
    metrics.callEnded(eventRecord({ ...event, method: 'sessions/create', outcome: 'not_executed' }));
    metrics.callEnded(call({ surface: 'proxy', server: 'web', session: 'ab' }));
    expect(family(metrics, 'pincer_app_events_total').samples).toEqual(
      new Map([
        ['{event="bridge/connect",outcome="ok"}', 2],
        ['{event="sessions/create",outcome="not_executed"}', 1],
      ]),
    );
    expect(family(metrics, 'pincer_calls_total').samples.get('{server="web",outcome="ok"}')).toBe(1);
    expect(family(metrics, 'pincer_call_duration_seconds').samples.get('_count{server="web"}')).toBe(1);
  });

  it('keeps a cumulative histogram of durations', () => {
    verifies('004-16-metrics');
    const metrics = createMetrics();
    for (const durationMs of [0.2, 1, 1.1, 700, 90_000]) metrics.callEnded(call({ durationMs }));
    const { type, samples } = family(metrics, 'pincer_call_duration_seconds');
    expect(type).toBe('histogram');
    const below = (bound: string): number | undefined =>
      samples.get(`_bucket{server="github",le="${bound}"}`);
    expect(['0.001', '0.0025', '0.5', '1', '60', '120', '+Inf'].map(below)).toEqual([2, 3, 3, 4, 4, 5, 5]);
    expect(samples.get('_sum{server="github"}')).toBeCloseTo(90.7023);
    expect(samples.get('_count{server="github"}')).toBe(5);
  });

  it('counts failures by code, and sizes', () => {
    verifies('004-16-metrics');
    const metrics = createMetrics();
    metrics.callEnded(call({ outcome: 'not_executed', code: 'POLICY_DENIED' }));
    metrics.callEnded(call({ outcome: 'not_executed', code: 'POLICY_DENIED', arguments: '{"a":1}' }));
    metrics.callEnded(call({ arguments: '{}', answerBytes: 40 }));
    expect(family(metrics, 'pincer_call_failures_total').samples).toEqual(
      new Map([['{server="github",code="POLICY_DENIED"}', 2]]),
    );
    expect(family(metrics, 'pincer_call_argument_bytes_total').samples.get('{server="github"}')).toBe(9);
    expect(family(metrics, 'pincer_call_answer_bytes_total').samples.get('{server="github"}')).toBe(40);
  });

  it('reads several measurements together, once per scrape', () => {
    const metrics = createMetrics();
    let reads = 0;
    metrics.collect(() => {
      reads += 1;
      return [numbers('pincer_a', 'A.', 1), numbers('pincer_b_total', 'B.', 2)];
    });
    expect(family(metrics, 'pincer_b_total').type).toBe('counter');
    expect(reads).toBe(1);
  });

  it('counts requests and rejections', () => {
    const metrics = createMetrics();
    metrics.httpRequest();
    metrics.rejected(401);
    metrics.rejected(401);
    metrics.rejected(413);
    expect(family(metrics, 'pincer_http_requests_total').samples).toEqual(new Map([['{}', 1]]));
    expect(family(metrics, 'pincer_requests_rejected_total').samples).toEqual(
      new Map([
        ['{status="401"}', 2],
        ['{status="413"}', 1],
      ]),
    );
  });

  it('reads gauges at each scrape', () => {
    const metrics = createMetrics();
    let inFlight = 1;
    metrics.collect(() => [
      numbers('pincer_calls_in_flight', 'Calls\nnow \\ here.', inFlight),
      numbers('pincer_audit_dropped_total', 'Lost rows.', 7),
      numbers('pincer_servers', 'Servers by state.', [
        { labels: { state: 'ready' }, value: 2 },
        { labels: { state: 'failed' }, value: 0 },
      ]),
    ]);
    inFlight = 5;
    expect(family(metrics, 'pincer_calls_in_flight')).toEqual({
      type: 'gauge',
      help: String.raw`Calls\nnow \\ here.`,
      samples: new Map([['{}', 5]]),
    });
    expect(family(metrics, 'pincer_audit_dropped_total').type).toBe('counter');
    expect([...family(metrics, 'pincer_servers').samples]).toEqual([
      ['{state="ready"}', 2],
      ['{state="failed"}', 0],
    ]);
  });

  it('reports the process', () => {
    const metrics = createMetrics();
    addProcessGauges(metrics);
    addBuildInfo(metrics, '1.2.3');
    expect(family(metrics, 'process_resident_memory_bytes').samples.get('{}')).toBeGreaterThan(1e6);
    expect(family(metrics, 'process_cpu_seconds_total').samples.get('{}')).toBeGreaterThan(0);
    expect(family(metrics, 'process_open_fds').samples.get('{}')).toBeGreaterThan(0);
    const [labels] = [...family(metrics, 'pincer_build_info').samples.keys()];
    expect(labels).toBe(`{version="1.2.3",node="${process.versions.node}"}`);
  });

  it('escapes label values', () => {
    const metrics = createMetrics();
    metrics.callEnded(call({ server: 'a"b\\c\nd' }));
    const { samples } = family(metrics, 'pincer_calls_total');
    expect(samples.get(String.raw`{server="a\"b\\c\nd",outcome="ok"}`)).toBe(1);
  });

  it('counts servers beyond 1,000, and names too long for a label, as "other"', () => {
    const metrics = createMetrics();
    metrics.callEnded(call({ server: 'x'.repeat(10_000) }));
    for (let index = 0; index < 1_010; index += 1) metrics.callEnded(call({ server: `s${index}` }));
    metrics.callEnded(call({ server: 's0' }));
    const { samples } = family(metrics, 'pincer_calls_total');
    expect(samples.size).toBe(4 * 1_001);
    expect(samples.get('{server="s0",outcome="ok"}')).toBe(2);
    expect(samples.get('{server="other",outcome="ok"}')).toBe(11);
  });

  it('renders before anything happened', () => {
    const families = parse(createMetrics().render());
    expect([...families.keys()]).toEqual([
      'pincer_calls_total',
      'pincer_call_failures_total',
      'pincer_call_duration_seconds',
      'pincer_call_argument_bytes_total',
      'pincer_call_answer_bytes_total',
      'pincer_app_events_total',
      'pincer_http_requests_total',
      'pincer_requests_rejected_total',
    ]);
  });
});
