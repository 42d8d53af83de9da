/** A page on the canvas can reach only what the person has allowed on this machine. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { canvasBench } from '../kit/device/canvas-bench.ts';
import { eventually } from '../kit/processes.ts';

const visits: string[] = [];
const server = createServer((request, response) => {
  visits.push(request.url ?? '');
  response.writeHead(200, { 'access-control-allow-origin': '*' }).end('<h1>local</h1>');
});
let port: number;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());
beforeEach(() => void visits.splice(0));

describe("an agent's page", () => {
  test('reaches nothing on this machine in any way', async () => {
    await using canvas = canvasBench();
    await using stun = Object.assign(createSocket('udp4'), {
      [Symbol.asyncDispose]: async () => void stun.close(),
    });
    let packets = 0;
    stun.on('message', () => (packets += 1));
    await once(stun.bind(0, '127.0.0.1'), 'listening');
    await canvas.call('present', { html: '<body>' });
    const tries = await canvas.ask<Record<string, string>>(`(async () => {
      const at = '127.0.0.1:${port}';
      const outcome = (work) => work.then((value) => 'got ' + value, () => 'nothing');
      const loads = (tag, name, url) => new Promise((resolve, reject) => {
        const element = Object.assign(document.createElement(tag), { onload: () => resolve('load'), onerror: reject, [name]: url });
        document.body.append(element);
      });
      const socket = (url) => new Promise((resolve, reject) => Object.assign(new WebSocket(url), { onopen: resolve, onerror: reject }));
      const worker = new Worker(URL.createObjectURL(new Blob(["fetch('http://" + at + "/worker').then(r => r.text()).then(t => postMessage('got ' + t), () => postMessage('nothing'))"])));
      const fromWorker = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
      const peers = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] });
      peers.createDataChannel('x');
      await peers.setLocalDescription(await peers.createOffer());
      await new Promise((resolve) => {
        peers.onicegatheringstatechange = () => peers.iceGatheringState === 'complete' && resolve();
        setTimeout(resolve, 1_500);
      });
      return {
        fetch: await outcome(fetch('http://' + at + '/fetch').then((r) => r.text())),
        name: await outcome(fetch('http://localhost:${port}/name').then((r) => r.text())),
        opaque: await outcome(fetch('http://' + at + '/opaque', { mode: 'no-cors' }).then((r) => r.text())),
        image: await outcome(loads('img', 'src', 'http://' + at + '/image')),
        script: await outcome(loads('script', 'src', 'http://' + at + '/script')),
        socket: await outcome(socket('ws://' + at + '/socket')),
        beacon: String(navigator.sendBeacon('http://' + at + '/beacon')),
        worker: await fromWorker,
        peers: String(peers.localDescription.sdp.includes('candidate')),
      };
    })()`);
    expect(tries).toEqual({
      fetch: 'nothing',
      name: 'nothing',
      opaque: 'got ',
      image: 'nothing',
      script: 'nothing',
      socket: 'nothing',
      beacon: 'true',
      worker: 'nothing',
      peers: 'false',
    });
    await canvas.ask(`location.href = 'http://127.0.0.1:${port}/elsewhere'; 1`);
    await eventually(
      async () => (await canvas.ask('location.href').catch(() => '')) === 'chrome-error://chromewebdata/',
      5_000,
    );
    expect(await canvas.call('navigate', { url: `http://127.0.0.1:${port}/navigate` })).toMatchObject({
      opener: 'denied',
    });
    expect([visits, packets]).toEqual([[], 0]);
  });

  test('reaches an allowed port, but not the next one', async () => {
    await using allowed = canvasBench({ allow: [`localhost:${port}`] });
    const url = `http://localhost:${port}/page`;
    expect(await allowed.call('navigate', { url })).toEqual({ navigated: true, opener: 'canvas', url });
    expect(await allowed.ask('document.body.innerText')).toBe('local');
    expect(
      await allowed.ask(`fetch('http://127.0.0.1:${port}/no').then((r) => r.status, () => 'nothing')`),
    ).toBe('nothing');
    expect(await allowed.call('present', { url: `${url}?2` })).toEqual({ presented: true });
    expect(visits.filter((path) => path !== '/favicon.ico')).toEqual(['/page', '/page?2']);
    await expect(allowed.call('navigate', { url: 'https://nothing.invalid.example/' })).rejects.toMatchObject(
      {
        message: 'Navigate failed',
      },
    );
  });
});
