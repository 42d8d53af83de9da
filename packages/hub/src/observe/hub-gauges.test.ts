import { expect, it } from 'vitest';
import { addHubGauges } from './hub-gauges.ts';
import { createMetrics } from './metrics.ts';

it('shows what the hub is busy with at the moment of the scrape', () => {
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
      'pincer_servers{state="ready"} 0',
    ]),
  );
});
