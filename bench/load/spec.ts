/** What the load process is told and what it answers: one JSON document each way. */
import type { Target } from './target.ts';

export interface LoadSpec {
  target: Target;
  inFlight: number;
  /** How long each worker rests between two calls, on average. */
  pauseMs?: number;
  warmUpMs: number;
  measureMs: number;
  /** The processes that are the proxy itself, without the servers behind it. */
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
  /** The same with everything that the proxy started. */
  treeCpuMicrosPerCall: number;
  /** Of the load process: shows when it is the limit. */
  loaderCpuMicrosPerCall: number;
  rssPeakBytes: number;
  treeRssBytes: number;
  treeProcesses: number;
  /** All sessions opened, one per worker. */
  sessionsOpenedMs: number;
}
