/** Input and output of the load process: one JSON document each. */
import type { Target } from './target.ts';

export interface LoadSpec {
  target: Target;
  inFlight: number;
  /** Average pause of each worker between two calls. */
  pauseMs?: number;
  warmUpMs: number;
  measureMs: number;
  /** The proxy's own processes, without the servers behind it. */
  own: number[];
}

export interface LoadResult {
  inFlight: number;
  seconds: number;
  calls: number;
  errors: number;
  errorSamples: string[];
  callsPerSecond: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  maxMs: number;
  /** CPU time of the proxy's own processes per call. */
  cpuMicrosPerCall: number;
  cpuMicrosPerCallByProcess: number[];
  /** The same, with all processes that the proxy started. */
  treeCpuMicrosPerCall: number;
  /** CPU time of the load process: shows whether it is the bottleneck. */
  loaderCpuMicrosPerCall: number;
  rssPeakBytes: number;
  treeRssBytes: number;
  treeProcesses: number;
  /** Time to open all sessions, one per worker. */
  sessionsOpenedMs: number;
}
