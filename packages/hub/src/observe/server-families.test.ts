import { describe, expect, it } from 'vitest';
import { renderFamily } from './exposition.ts';
import { serverFamilies, type ServerReading } from './hub-gauges.ts';

const reading = (changes: Partial<ServerReading> = {}): ServerReading => ({
  name: 'github',
  state: 'ready',
  attempts: 0,
  nextTryAt: undefined,
  inFlight: 0,
  repeated: 0,
  lastDiscoveryAt: undefined,
  ...changes,
});

const lines = (...servers: ServerReading[]): string[] =>
  serverFamilies(servers, 10_000).map(renderFamily).join('').split('\n');

describe('serverFamilies', () => {
  it('shows the state of each server, and counts servers by state', () => {
    const text = lines(reading(), reading({ name: 'docs', state: 'backoff' }));
    expect(text).toContain('pincer_server_state{server="github",state="ready"} 1');
    expect(text).toContain('pincer_server_state{server="github",state="backoff"} 0');
    expect(text).toContain('pincer_server_state{server="docs",state="backoff"} 1');
    expect(text).toContain('pincer_servers{state="ready"} 1');
    expect(text).toContain('pincer_servers{state="failed"} 0');
  });

  it('shows failed attempts and the time of the next one', () => {
    const text = lines(reading({ state: 'backoff', attempts: 3, nextTryAt: 14_500 }), reading({ name: 'b' }));
    expect(text).toContain('pincer_server_failed_attempts{server="github"} 3');
    expect(text).toContain('pincer_server_backoff_seconds{server="github"} 4.5');
    expect(text).toContain('pincer_server_backoff_seconds{server="b"} 0');
  });

  it('shows zero for an overdue attempt', () => {
    expect(lines(reading({ nextTryAt: 9_000 }))).toContain(
      'pincer_server_backoff_seconds{server="github"} 0',
    );
  });

  it('describes the catalog', () => {
    const text = lines(reading({ lastDiscoveryAt: 1_500, isStale: true, tools: 7, held: 2, discoveries: 4 }));
    expect(text).toContain('pincer_server_last_discovery_timestamp_seconds{server="github"} 1.5');
    expect(text).toContain('pincer_server_catalog_stale{server="github"} 1');
    expect(text).toContain('pincer_server_tools{server="github"} 7');
    expect(text).toContain('pincer_server_tools_held{server="github"} 2');
    expect(text).toContain('# TYPE pincer_server_discoveries_total counter');
  });

  it('omits unknown values', () => {
    expect(lines(reading()).join('\n')).not.toContain('pincer_server_tools');
  });
});
