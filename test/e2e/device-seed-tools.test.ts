/** Seed 000, "Summary": each named tool works over plain HTTP. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDesktop, type Desktop } from '../kit/desktop.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { attempt, ATTEMPTS } from '../kit/device/page.ts';
import { sizeOfPng } from '../kit/device/png.ts';
import { callText, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { servePage, type WebPage } from '../kit/web-page.ts';
import { verifies } from '../verifies.ts';

const CAPTURES = { screen: true, camera: true, location: true, clipboard: true };
const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

let desktop: Desktop;
let page: WebPage;
let hub: DeviceHub;
const bin = temporaryFolder('player');
beforeAll(async () => {
  desktop = await startDesktop();
  page = await servePage('<!doctype html><title>Elsewhere</title>');
  // This machine has no loudspeakers; the fake player records its input.
  writeFileSync(join(bin.path, 'pw-play'), `#!/bin/sh\ncp "$1" "${bin.path}/heard.wav"\n`);
  chmodSync(join(bin.path, 'pw-play'), 0o700);
  hub = await startDevice({
    device: {
      capabilities: CAPTURES,
      position: { latitude: 52.5, longitude: 13.4, accuracy: 20 },
      browser: { args: FAKE_CAMERA, allow: [new URL(page.url).host] },
    },
    env: { ...desktop.env, PATH: `${bin.path}:${process.env['PATH']}`, PULSE_SERVER: 'unix:/nowhere' },
  });
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await page?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  bin[Symbol.dispose]();
});

/** Returns a command's result; throws with its reason if it fails. */
async function run(name: string, args: object = {}): Promise<Record<string, unknown>> {
  const answer = await hub.command(name, args);
  if (answer.result === undefined || answer.result['isError'] === true)
    throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return JSON.parse(textOf(answer)) as Record<string, unknown>;
}
const bytesOf = (payload: Record<string, unknown>): Buffer =>
  Buffer.from(String(payload['base64']), 'base64');

it('system.notify shows a notification', async () => {
  verifies('000-summary-system-notify');
  expect(await run('system.notify', { title: 'Of the seed', body: 'It is here' })).toMatchObject({
    sent: true,
  });
  expect(await eventually(() => desktop.shown().includes('Of the seed'))).toBe(true);
});

it('screen.record returns a video of bounded length, and reports progress if requested', async () => {
  verifies('000-deferred-screen-record', '000-deferred-progress');
  const args = JSON.stringify({ durationMs: 2_500, fps: 5 });
  const body = callText('screen.record', { args, meta: '"progressToken":"p"' });
  await using connection = hub.connect();
  const { messages } = await connection.post(body, { path: '/' });
  const [answer = '', ...progress] = messages.toReversed();
  expect(progress.length).toBeGreaterThan(0);
  for (const message of progress)
    expect(JSON.parse(message)).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p' },
    });
  const video = JSON.parse(textOf(parseAnswer(answer))) as Record<string, unknown>;
  expect(video).toMatchObject({ format: 'mp4', durationMs: 2_500, fps: 5, screenIndex: 0 });
  expect(bytesOf(video).toString('latin1', 4, 8)).toBe('ftyp');
});

it('the canvas shows a page, navigates to another, and hides', async () => {
  verifies(
    '000-summary-canvas-window',
    '000-summary-canvas-hide',
    '000-summary-canvas-navigate',
    '000-summary-canvas-eval',
    '000-summary-canvas-snapshot',
  );
  expect(
    await run('canvas.present', { html: '<title>Mine</title><h1 id="x">Hi</h1>', width: 400, height: 300 }),
  ).toMatchObject({ presented: true });
  expect(await run('canvas.eval', { script: 'document.title' })).toMatchObject({ result: 'Mine' });
  expect(await run('canvas.eval', { javaScript: '[1, 2].map((n) => n * 2)' })).toMatchObject({
    result: [2, 4],
  });
  const picture = await run('canvas.snapshot', { maxWidth: 200 });
  expect(picture['format']).toBe('png');
  expect(sizeOfPng(String(picture['base64']))[0]).toBeLessThanOrEqual(200);
  expect(await run('canvas.navigate', { url: page.url })).toMatchObject({ navigated: true, url: page.url });
  expect(await run('canvas.eval', { script: 'document.title' })).toMatchObject({ result: 'Elsewhere' });
  expect(await run('canvas.hide')).toMatchObject({ hidden: true });
});

it('a foreign page in the canvas cannot call back', async () => {
  verifies('000-testing-canvas-origin');
  await run('canvas.present', { url: page.url });
  const mark = join(hub.folder, 'by-a-page');
  const call = callText('system.run', { args: JSON.stringify({ command: ['touch', mark] }) });
  for (const what of ['fetch of JSON with the token', 'fetch of text', 'a WebSocket', 'a plain-text form'])
    for (const url of [hub.root, hub.url, hub.root.replace('127.0.0.1', 'localhost')]) {
      const script = attempt({ expression: ATTEMPTS[what]!, url, call, token: hub.token });
      expect([what, await run('canvas.eval', { script })]).toMatchObject([what, { result: '' }]);
    }
  expect(existsSync(mark)).toBe(false);
});

it('the canvas draws and clears A2UI surfaces', async () => {
  verifies('000-summary-canvas-a2ui', '000-summary-canvas-a2ui-reset');
  const components = [{ id: 'root', component: { Text: { text: { literalString: 'Drawn by A2UI' } } } }];
  const jsonl = [
    { surfaceUpdate: { surfaceId: 'main', components } },
    { beginRendering: { surfaceId: 'main', root: 'root' } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');
  await run('canvas.present');
  expect(await run('canvas.a2ui.push', { jsonl })).toMatchObject({ pushed: true });
  const shown = async (): Promise<string> =>
    JSON.stringify(await run('canvas.eval', { script: 'document.body.innerText' }));
  expect(await eventually(async () => (await shown()).includes('Drawn by A2UI'))).toBe(true);
  expect(JSON.stringify(await run('canvas.a2ui.dump'))).toContain('Drawn by A2UI');
  expect(await run('canvas.a2ui.reset')).toMatchObject({ reset: true });
  expect(await eventually(async () => !(await shown()).includes('Drawn by A2UI'))).toBe(true);
});

it('the camera is listed, takes photos and records clips', async () => {
  verifies('000-summary-camera-list', '000-summary-camera-snap', '000-summary-camera-clip');
  const { cameras } = (await run('camera.list')) as { cameras: { deviceId: string; name: string }[] };
  expect(cameras.length).toBeGreaterThan(0);
  const snap = await run('camera.snap', { maxWidth: 320, format: 'png' });
  expect(sizeOfPng(String(snap['base64']))).toEqual([snap['width'], snap['height']]);
  const clip = await run('camera.clip', { durationMs: 500, includeAudio: false });
  expect(bytesOf(clip).length).toBeGreaterThan(1_000);
  expect(clip).toMatchObject({ format: 'mp4', hasAudio: false });
});

it("location.get returns this machine's location", async () => {
  verifies('000-summary-location-get');
  expect(await run('location.get')).toMatchObject({ latitude: 52.5, longitude: 13.4, accuracy: 20 });
});

it('tts.speak speaks', async () => {
  verifies('000-summary-tts-speak');
  expect(await run('tts.speak', { text: 'Good morning' })).toMatchObject({ spoken: true });
  expect(existsSync(join(bin.path, 'heard.wav'))).toBe(true);
});

it('every tool answers a call without arguments, with a result or a reason', async () => {
  const short = { durationMs: 100 };
  for (const name of await hub.commands()) {
    const { status, answer } = await hub.ask(
      callText(name, { args: JSON.stringify(/record|clip/.test(name) ? short : {}) }),
    );
    expect([name, status, answer.error]).toEqual([name, 200, undefined]);
    expect(textOf(answer), name).not.toBe('');
    if (answer.result?.['isError'] === true) {
      // No folder names of this machine, and no stack trace.
      expect(textOf(answer), name).not.toMatch(/\/(?:tmp|root|home|usr|work)\/|\bat \w+ \(|Error:/);
    } else expect(JSON.parse(textOf(answer)), name).toEqual(expect.anything());
  }
});
