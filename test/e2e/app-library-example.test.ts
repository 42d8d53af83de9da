/** The example program: clients call its functions, and its session ends with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy } from '../kit/proxy/proxy.ts';
import { connectSdk } from '../servers/sdk-clients.ts';

const TIMER = fileURLToPath(new URL('../../examples/node-app/timer.mjs', import.meta.url));

it('runs the kitchen timer, reports progress, stops it, and leaves nothing behind', async () => {
  await using proxy = await startProxy({ command: 'up' });
  const env = { ...process.env, PINCER_APPS_URL: proxy.origin, PINCER_APP_TOKEN: APP_TOKEN };
  const child = spawn(process.execPath, [TIMER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'close') as Promise<[code: number]>;
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const [word, url = ''] = line.split(' ');
    expect(word).toBe('open');
    await using client = await connectSdk('modern', url, { authorization: `Bearer ${OPENCLAW_TOKEN}` });
    const told: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): unknown => told.push(message);
    const { structured } = await client.callTool('start_timer', { label: 'egg', seconds: 1 }, { onprogress });
    expect({ structured, told }).toEqual({
      structured: { label: 'egg', seconds: 1 },
      told: ['egg: 1 s to go'],
    });
    const stop = new AbortController();
    const long = { label: 'long', seconds: 3_600 };
    const onprogressOnce = (): void => stop.abort();
    await expect(
      client.callTool('start_timer', long, { signal: stop.signal, onprogress: onprogressOnce }),
    ).rejects.toThrow();
    expect((await client.callTool('list_rung', {})).structured).toMatchObject({ rung: [{ label: 'egg' }] });
    child.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
    await expect(client.callTool('list_rung', {})).rejects.toThrow();
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});
