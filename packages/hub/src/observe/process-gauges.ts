import type { Metrics } from './metrics.ts';

/** What Prometheus' own clients report of the process they run in, under the same names. */
export function addProcessGauges(metrics: Pick<Metrics, 'gauge'>): void {
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of this process.', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('process_cpu_seconds_total', 'User and system CPU time of this process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
}
