import { expect, it } from 'vitest';
import { addHubGauges } from './hub-gauges.ts';
import { createMetrics } from './metrics.ts';

it("shows the hub's current load at each scrape", () => {
  const metrics = createMetrics();
  let calls = 1;
  addHubGauges(metrics, {
    now: () => 0,
    callsInFlight: () => calls,
    slotsInUse: () => 2,
    streamsOpen: () => 3,
    sessions: () => 4,
    approvalsWaiting: () => 5,
    audit: { written: 6, waiting: 7, dropped: 8 },
    apps: { sessions: () => 10, bridges: () => 11, callsWaiting: () => 12 },
    servers: () => [],
  });
  calls = 9;
  const lines = metrics.render().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'pincer_calls_in_flight 9',
      'pincer_slots_in_use 2',
      'pincer_streams_open 3',
      'pincer_sessions 4',
      'pincer_approvals_waiting 5',
      'pincer_audit_rows_total 6',
      'pincer_audit_waiting 7',
      'pincer_audit_dropped_total 8',
      'pincer_app_sessions 10',
      'pincer_app_bridges 11',
      'pincer_app_calls_waiting 12',
      'pincer_servers{state="ready"} 0',
    ]),
  );
});

it('shows no app gauges without an app proxy', () => {
  const metrics = createMetrics();
  addHubGauges(metrics, {
    now: () => 0,
    callsInFlight: () => 0,
    slotsInUse: () => 0,
    streamsOpen: () => 0,
    sessions: () => 0,
    approvalsWaiting: () => 0,
    audit: { written: 0, waiting: 0, dropped: 0 },
    servers: () => [],
  });
  expect(metrics.render()).toContain('pincer_sessions 0');
  expect(metrics.render()).not.toMatch(/pincer_app_(sessions|bridges|calls)/);
});
