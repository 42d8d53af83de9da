/** Seed 000, verbatim: the commands that it tells people to type. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDesktop, type Desktop } from '../kit/desktop.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { sizeOfPng } from '../kit/device/png.ts';
import { typeIn } from '../kit/device/seed-shell.ts';
import { parseAnswer, textOf } from '../kit/messages.ts';
import { verifies } from '../verifies.ts';

let desktop: Desktop;
let hub: DeviceHub;
beforeAll(async () => {
  desktop = await startDesktop();
  hub = await startDevice({ device: { capabilities: { screen: true } }, env: desktop.env });
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

describe('Verifying the gate', () => {
  it.each([
    [
      '000-gate-origin-403',
      `curl -X POST http://127.0.0.1:8765/ -H "Origin: https://evil.com" -H "Content-Type: application/json" -d '{}'`,
    ],
    [
      '000-gate-host-403',
      `curl -X POST http://127.0.0.1:8765/ -H "Host: evil.com" -H "Content-Type: application/json" -d '{}'`,
    ],
  ])('%s returns 403, with and without the token', async (_id, command) => {
    verifies('000-gate-origin-403', '000-gate-host-403');
    for (const hasToken of [false, true]) expect((await typeIn(hub, command, { hasToken })).status).toBe(403);
  });

  it('text/plain with the token returns 415', async () => {
    verifies('000-gate-text-plain-415');
    const command = `curl -X POST http://127.0.0.1:8765/ -H "Content-Type: text/plain" --data '{"jsonrpc":"2.0","id":1,"method":"ping"}'`;
    expect((await typeIn(hub, command)).status).toBe(415);
    expect(await typeIn(hub, command, { hasToken: false })).toEqual({ status: 401, body: '' });
  });

  it('the probe succeeds', async () => {
    verifies('000-http-get-probe');
    const command = `curl http://127.0.0.1:8765/ -H "Authorization: Bearer <token>"   # GET probe`;
    const { status, body } = await typeIn(hub, command, { hasToken: false });
    expect(status).toBe(200);
    expect(body).toContain('MCP');
    expect(body).toContain(hub.root);
  });

  it('ping succeeds', async () => {
    verifies('000-gate-ping-ok', '000-bridge-ping');
    const command = `curl -X POST http://127.0.0.1:8765/ -H "Authorization: Bearer <token>" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"ping"}'`;
    const { status, body } = await typeIn(hub, command, { hasToken: false });
    expect([status, JSON.parse(body)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });
});

describe('Quick verification', () => {
  it('the server is up', async () => {
    const command = 'curl http://127.0.0.1:8765/';
    expect((await typeIn(hub, command)).status).toBe(200);
    verifies('000-security-local-token');
    expect(await typeIn(hub, command, { hasToken: false })).toEqual({ status: 401, body: '' });
  });

  it('lists tools, without initialize and without a session', async () => {
    verifies('000-access-plain-script', '000-bridge-list-names', '000-bridge-list-flat');
    const command = `curl -s -X POST http://127.0.0.1:8765/ \\
      -H "Content-Type: application/json" \\
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`;
    const { status, body } = await typeIn(hub, command);
    expect(status).toBe(200);
    const { tools } = parseAnswer(body).result as unknown as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const some = [
      'system.run',
      'system.notify',
      'screen.snapshot',
      'canvas.present',
      'tts.speak',
      'device.info',
    ];
    expect(names).toEqual(expect.arrayContaining(some));
    expect((await typeIn(hub, command, { hasToken: false })).status).toBe(401);
  });

  it('takes a screenshot of the primary monitor', async () => {
    verifies('000-quick-snapshot', '000-summary-screen-snapshot');
    const command = `curl -s -X POST http://127.0.0.1:8765/ \\
      -H "Content-Type: application/json" \\
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"screen.snapshot"}}'`;
    const { status, body } = await typeIn(hub, command);
    const answer = parseAnswer(body);
    expect([status, answer.id, answer.result?.['isError'] ?? false]).toEqual([200, 2, false]);
    const payload = JSON.parse(textOf(answer)) as Record<string, unknown>;
    expect(payload).toMatchObject({ format: 'png', width: 640, height: 480 });
    expect(payload['image']).toBe(`data:image/png;base64,${String(payload['base64'])}`);
    expect(sizeOfPng(String(payload['base64']))).toEqual([640, 480]);
    // A client that can display images gets one.
    expect(answer.result?.['content']).toContainEqual({
      type: 'image',
      mimeType: 'image/png',
      data: payload['base64'],
    });
  });
});
