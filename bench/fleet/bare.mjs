/**
 * The floor: starts all servers, initialises them, asks for their tools, and calls them over their pipes. Nothing else.
 *
 * Usage: node bare.mjs '{"servers":50,"atOnce":20,"program":"by-hand.mjs","levels":[]}'
 * Prints the time of the last list, the number of tools, its memory, and the latencies at each level.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { servers, atOnce, program, levels } = JSON.parse(process.argv[2]);
const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bare', version: '1.0.0' },
};

function start() {
  // Each child leads its own process group, as the hub's children do: a busy Linux schedules by group.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let lastId = 0;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)(result);
      waiting.delete(id);
    }
  });
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    request(method, params) {
      const id = ++lastId;
      write({ id, method, params });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    notify: (method) => write({ method }),
    end: () => child.stdin.end(),
  };
}

async function startAll() {
  const started = [];
  const lists = [];
  async function next() {
    while (started.length < servers) {
      const server = start();
      started.push(server);
      await server.request('initialize', HANDSHAKE);
      server.notify('notifications/initialized');
      // Like the hub: the next server may start while this one lists.
      lists.push(server.request('tools/list', {}));
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, servers) }, next));
  const tools = (await Promise.all(lists)).flatMap((result) => result.tools);
  return { started, tools: tools.length };
}

/** Like the load generator: each caller has one call in flight, and callers are spread over all servers. */
async function measureCalls(started, { inFlight, pauseMs, warmUpMs, measureMs }) {
  const latencies = [];
  const state = { recording: false, stopped: false };
  async function work(caller) {
    const server = started[caller % started.length];
    for (let number = 0; !state.stopped; number += 1) {
      if (pauseMs > 0) await sleep(2 * pauseMs * Math.random());
      const message = `worker ${caller} call ${number}`;
      const startedAt = performance.now();
      const { content } = await server.request('tools/call', { name: 'echo_3', arguments: { message } });
      if (content[0].text !== message) throw new Error(`got "${content[0].text}" for "${message}"`);
      if (state.recording) latencies.push(performance.now() - startedAt);
    }
  }
  const done = Promise.all(Array.from({ length: inFlight }, (_, caller) => work(caller)));
  await sleep(warmUpMs);
  state.recording = true;
  await sleep(measureMs);
  state.recording = false;
  state.stopped = true;
  await done;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)];
  return { callsPerSecond: latencies.length / (measureMs / 1000), p50Ms: at(0.5), p99Ms: at(0.99) };
}

const { started, tools } = await startAll();
const readyAt = performance.timeOrigin + performance.now();
const measured = [];
for (const level of levels) measured.push(await measureCalls(started, level));
const rssBytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
for (const server of started) server.end();
console.log(JSON.stringify({ readyAt, tools, rssBytes, levels: measured }));
