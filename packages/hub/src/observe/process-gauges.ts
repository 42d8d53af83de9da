import { readdirSync } from 'node:fs';
import { numbers, type Family } from './family.ts';
import type { Metrics } from './metrics.ts';

const STARTED_AT = performance.timeOrigin / 1_000;

/** The process metrics of Prometheus' own clients, under the same names. */
export function addProcessGauges(metrics: Pick<Metrics, 'collect'>): void {
  metrics.collect(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      numbers('process_start_time_seconds', 'When this process was started.', STARTED_AT),
      numbers('process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1_000_000),
      numbers('process_resident_memory_bytes', 'Resident memory of this process.', rss),
      numbers('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', heapUsed),
      numbers('nodejs_external_memory_bytes', 'Buffers and other memory outside of the heap.', external),
      ...openFiles(),
    ];
  });
}

export function addBuildInfo(metrics: Pick<Metrics, 'collect'>, version: string): void {
  const point = { labels: { version, node: process.versions.node }, value: 1 };
  const info = numbers('pincer_build_info', 'Always 1; the labels name the versions.', [point]);
  metrics.collect(() => [info]);
}

/** Available on Linux only. */
function openFiles(): Family[] {
  try {
    const open = readdirSync('/proc/self/fd').length;
    return [numbers('process_open_fds', 'Open file descriptors: sockets, pipes, files.', open)];
  } catch {
    return [];
  }
}
