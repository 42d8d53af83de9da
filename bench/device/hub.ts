/** Pincer with its defaults, plus the screen capability and permission for every program. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder, temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { startProcess } from '../process/running.ts';
import { PINCER_PROGRAM } from '../subjects/pincer-home.ts';

export interface DeviceHub {
  /** Returns the milliseconds until the whole answer arrived. Throws on an error. */
  call(name: string, args: object, path?: string): Promise<number>;
}

const START_MS = 20_000;
const TAIL = 500;
const EXEC_APPROVALS = { version: 1, defaults: { security: 'full', ask: 'off', askFallback: 'full' } };

export async function startDeviceHub(display: string): Promise<DeviceHub> {
  const folder = temporaryFolder('device');
  const port = await freePort();
  const write = (name: string, value: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(value), { mode: 0o600 });
  write('config.json', { device: { port, capabilities: { screen: true } }, proxy: { enabled: false } });
  write('exec-approvals.json', EXEC_APPROVALS);
  await startProcess({
    command: process.execPath,
    args: [PINCER_PROGRAM, 'up'],
    folder,
    env: {
      PINCER_HOME: folder,
      PINCER_KEYCHAIN: 'off',
      DISPLAY: display,
      XDG_CACHE_HOME: cacheFolder('pincer'),
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (body: object, path = '/'): Promise<string> =>
    new Promise((resolve, reject) => {
      const token = readFileSync(join(folder, 'mcp-token.txt'), 'utf8');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
        // The end shows success or failure. Joining megabytes would count as the client's time.
        let last = '';
        response.on(
          'data',
          (chunk: Buffer) =>
            (last = (last + chunk.toString('latin1', Math.max(0, chunk.length - TAIL))).slice(-TAIL)),
        );
        response.on('end', () => resolve(last));
      })
        .on('error', reject)
        .end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));
    });
  await untilItAnswers(() => post({ method: 'ping' }));
  return {
    async call(name, args, path) {
      const began = performance.now();
      const text = await post({ method: 'tools/call', params: { name, arguments: args } }, path);
      const took = performance.now() - began;
      if (!text.includes('"isError":false')) throw new Error(`${name}: ${text.slice(0, 500)}`);
      return took;
    },
  };
}

async function untilItAnswers(ask: () => Promise<string>): Promise<void> {
  for (const end = performance.now() + START_MS; performance.now() < end; await sleep(50))
    if (
      await ask().then(
        (text) => text.includes('"result":{}'),
        () => false,
      )
    )
      return;
  throw new Error('Pincer does not answer.');
}
