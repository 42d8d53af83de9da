import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import {
  browseGateways,
  decodeRecords,
  encodeQuery,
  findLocalGateway,
  gatewaysIn,
  isGatewayAt,
} from './discovery.ts';

const SERVICE = '_openclaw-gw._tcp.local';

const name = (text: string): Buffer =>
  Buffer.concat([
    ...text.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

const srv = (port: number, target: Buffer): Buffer => {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(port, 4);
  return Buffer.concat([head, target]);
};

const txt = (...texts: string[]): Buffer =>
  Buffer.concat(texts.map((each) => Buffer.from([each.length, ...Buffer.from(each)])));

function message(...records: Buffer[]): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, ...records]);
}

const answer = (texts: string[] = ['displayName=Attic', 'role=gateway'], port = 18_789): Buffer =>
  message(
    record(name(SERVICE), 12, name(`Box.${SERVICE}`)),
    // The name of the service is at the beginning of the first record.
    record(
      Buffer.concat([Buffer.from([3]), Buffer.from('Box'), Buffer.from([0xc0, 12])]),
      33,
      srv(port, name('box.local')),
    ),
    record(name(`Box.${SERVICE}`), 16, txt(...texts)),
    record(name('box.local'), 1, Buffer.from([192, 168, 0, 7])),
  );

describe('gateways in the local network', () => {
  it('are read from their announcements', () => {
    verifies('000-history-discovery');
    expect(gatewaysIn(decodeRecords(answer()))).toEqual([{ name: 'Attic', url: 'ws://192.168.0.7:18789' }]);
  });

  it('are addressed by name if they use TLS', () => {
    expect(gatewaysIn(decodeRecords(answer(['gatewayTls=1'])))).toEqual([
      { name: 'Box', url: 'wss://box.local:18789' },
    ]);
  });

  it('are ignored if they claim to be this machine, or have no port', () => {
    const here = message(
      record(name(SERVICE), 12, name(`Box.${SERVICE}`)),
      record(name(`Box.${SERVICE}`), 33, srv(1, name('localhost'))),
    );
    expect(gatewaysIn(decodeRecords(here))).toEqual([]);
    expect(gatewaysIn(decodeRecords(answer([], 0)))).toEqual([]);
  });

  it('cannot harm the reader of their announcements', () => {
    const whole = answer();
    for (let length = 0; length < whole.length; length++)
      expect(() => decodeRecords(whole.subarray(0, length))).not.toThrow();
    const circle = message(record(Buffer.from([0xc0, 12]), 12, name('x')));
    expect(decodeRecords(circle)).toEqual([]);
    for (let round = 0; round < 2_000; round++) {
      const broken = Buffer.from(whole);
      for (let each = 0; each < 4; each++)
        broken[(round * 31 + each * 7) % broken.length] = (round * 13 + each) & 255;
      expect(() => gatewaysIn(decodeRecords(broken))).not.toThrow();
    }
  });

  it('are queried with a valid DNS message', async () => {
    verifies('000-history-discovery');
    const responder = createSocket('udp4');
    responder.bind(0, '127.0.0.1');
    await once(responder, 'listening');
    const asked = Promise.withResolvers<Buffer>();
    responder.on('message', (query, { port, address }) => {
      asked.resolve(query);
      responder.send('what', port, address);
      responder.send(answer(), port, address);
    });
    try {
      const found = await browseGateways({
        timeoutMs: 500,
        address: '127.0.0.1',
        port: responder.address().port,
      });
      expect(found).toEqual([{ name: 'Attic', url: 'ws://192.168.0.7:18789' }]);
      expect(await asked.promise).toEqual(encodeQuery(SERVICE));
      expect(encodeQuery('a.b')).toEqual(
        Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 1, 98, 0, 0, 12, 0x80, 1]),
      );
    } finally {
      responder.close();
    }
  });

  it('are none if nothing answers', async () => {
    expect(await browseGateways({ timeoutMs: 50, address: '127.0.0.1', port: 9 })).toEqual([]);
  });
});

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(status: number, body: string, headers: Record<string, string> = {}): Promise<number> {
  server = createServer((_request, response) => void response.writeHead(status, headers).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it.each([
  [200, '<html><title>OpenClaw Control</title></html>', {}, true],
  [200, '<html><title>Something else</title></html>', {}, false],
  [401, '<title>OpenClaw Control</title>', {}, false],
  [302, '<title>OpenClaw Control</title>', { location: 'http://example.com/' }, false],
  // Pincer's own listener.
  [200, 'OpenClaw MCP server. POST JSON-RPC', {}, false],
])('%s %s', async (status, body, headers, expected) => {
  verifies('000-history-discovery');
  const port = await serve(status, body, headers);
  expect(await isGatewayAt(port)).toBe(expected);
  expect(await findLocalGateway({ OPENCLAW_GATEWAY_PORT: String(port) })).toBe(
    expected ? `ws://127.0.0.1:${port}` : undefined,
  );
});

it('finds no gateway if nothing answers', async () => {
  const port = await serve(200, '');
  server!.close();
  await once(server!, 'close');
  expect(await isGatewayAt(port)).toBe(false);
});
