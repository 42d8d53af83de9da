/** Ten thousand apps at once: memory, the cost of pinging all of them, and the time until they have reconnected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcess } from '../process/proc.ts';
import { endProcesses, refuseWhenEnding } from '../process/running.ts';
import type { SessionApi } from './app-on.ts';
import { type Crowd, startCrowd } from './crowd.ts';
import { startHandProxy } from './hand-written.ts';
import { openHttpSession } from './http-session.ts';
import { newPincerHome, startPincer } from './pincer.ts';
import { type ComingBack, measureComingBack } from './coming-back.ts';

const APPS = 10;
/** The setting of both proxies; Pincer's default. */
const PING_MS = 15_000;

export interface ScaleResult {
  name: string;
  tools: 'equal' | 'distinct';
  sessions: number;
  emptyRssBytes: number;
  /** Until every app was registered and had its bridge. */
  joinMs: number;
  /** After a rest, then after a garbage collection, then after the measured pings. */
  restedRssBytes: number;
  collectedRssBytes: number;
  lastRssBytes: number;
  idleCpuMsPerInterval: number;
  /** Answered pings during the measurement, divided by the number of sessions. */
  sweeps: number;
  cpuMsPerSweep: number;
  comingBack?: ComingBack;
}

interface Scale {
  sessions: number;
  /** Number of measured ping intervals. */
  intervals: number;
  onProgress(text: string): void;
}

interface Subject {
  name: string;
  tools: ScaleResult['tools'];
  api: SessionApi;
  tokens: string[];
  restart?(): Promise<SessionApi>;
}

const COLLECTS = ['--expose-gc', '--import', new URL('programs/gc-on-signal.mjs', import.meta.url).href];
const SETTLE_MS = 3_000;
/** Wait until the work for new apps is done: it must not count as the cost of pings. */
const REST_MS = 60_000;
const SAMPLED_CALLS = 100;

export async function measureHandWrittenScale(scale: Scale): Promise<ScaleResult> {
  const api = await startHandProxy(PING_MS, COLLECTS);
  return measure({ name: 'hand-written', tools: 'equal', api, tokens: [api.appToken] }, scale);
}

export async function measurePincerScale(tools: ScaleResult['tools'], scale: Scale): Promise<ScaleResult> {
  const home = await newPincerHome(APPS);
  const start = (): Promise<SessionApi> => startPincer(home, COLLECTS);
  return measure(
    { name: 'pincer', tools, api: await start(), tokens: home.appTokens, restart: start },
    scale,
  );
}

async function measure(subject: Subject, scale: Scale): Promise<ScaleResult> {
  const say = (text: string): void =>
    scale.onProgress(`${scale.sessions} sessions, ${subject.name}, ${subject.tools} tools: ${text}`);
  const crowd = await startCrowd();
  try {
    return await measureWith(crowd, subject, scale, say);
  } finally {
    await crowd.end();
    await endProcesses([subject.api.pid]);
  }
}

async function measureWith(
  crowd: Crowd,
  { name, tools, api, tokens, restart }: Subject,
  { sessions, intervals }: Scale,
  say: (text: string) => void,
): Promise<ScaleResult> {
  refuseWhenEnding();
  const { pid, baseUrl } = api;
  const cpuMs = (): number => sampleOf(pid).cpuMicros / 1000;
  const rss = (): number => sampleOf(pid).rssBytes;

  say('empty');
  await sleep(SETTLE_MS);
  await collect(pid);
  const emptyRssBytes = rss();
  const idleBefore = cpuMs();
  await sleep(intervals * PING_MS);
  const idleCpuMsPerInterval = (cpuMs() - idleBefore) / intervals;

  say('joining');
  const joinedAt = performance.now();
  await crowd.join({ baseUrl, tokens, sessions, distinct: tools === 'distinct' });
  const joinMs = performance.now() - joinedAt;
  say(`joined in ${joinMs.toFixed(0)} ms, resting`);
  await sleep(REST_MS);
  const restedRssBytes = rss();
  await collect(pid);
  const collectedRssBytes = rss();

  say(`${(collectedRssBytes / 2 ** 20).toFixed(0)} MB, pings`);
  const before = await crowd.state();
  const cpuBefore = cpuMs();
  await sleep(intervals * PING_MS);
  const cpuTaken = cpuMs() - cpuBefore;
  const after = await crowd.state();
  const lastRssBytes = rss();
  if (after.open !== sessions)
    throw new Error(`${after.open} of ${sessions} are connected: ${JSON.stringify(after.lost)}`);
  const sweeps = (after.pings - before.pings) / sessions;
  const cpuMsPerSweep = (cpuTaken - idleCpuMsPerInterval * intervals) / sweeps;
  say(`${cpuMsPerSweep.toFixed(0)} ms of CPU time for each of ${sweeps.toFixed(2)} pings of all`);
  const check = (): Promise<void> => sampleCalls(api, after.sessionIds);
  await check();
  if (restart !== undefined) say('killed and restarted');
  const comingBack = restart === undefined ? undefined : await measureComingBack(crowd, pid, restart, check);
  return {
    name,
    tools,
    sessions,
    emptyRssBytes,
    joinMs,
    restedRssBytes,
    collectedRssBytes,
    lastRssBytes,
    idleCpuMsPerInterval,
    sweeps,
    cpuMsPerSweep,
    ...(comingBack !== undefined && { comingBack }),
  };
}

function sampleOf(pid: number): { cpuMicros: number; rssBytes: number } {
  const sample = readProcess(pid);
  if (sample === undefined) throw new Error('the proxy has ended');
  return sample;
}

async function collect(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await sleep(SETTLE_MS);
}

/** Checks that calls reach the apps: a bridge that looks open is not enough. */
async function sampleCalls(
  { baseUrl, openClawToken: token }: SessionApi,
  ids: readonly string[],
): Promise<void> {
  for (let number = 0; number < SAMPLED_CALLS; number += 1) {
    const id = ids[Math.floor((number * ids.length) / SAMPLED_CALLS)]!;
    const session = openHttpSession({ url: `${baseUrl}/v1/mcp/${id}`, token, era: 'modern' });
    try {
      await session.call(`call ${number}`);
    } finally {
      await session.close();
    }
  }
}
