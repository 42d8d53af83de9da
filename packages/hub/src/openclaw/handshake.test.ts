import { describe, expect, it } from 'vitest';
import { readChallenge, readHello, clientPlatform } from './handshake.ts';

const USUAL = { maxPayload: 26_214_400, tickIntervalMs: 30_000 };
const server = { version: 'x' };

describe("a gateway's greeting", () => {
  it.each([null, undefined, 7, 'hello', [], {}, { server: null }, { server: 'x' }])('is not %j', (value) => {
    expect(readHello(value)).toBeUndefined();
  });

  it('is taken as it is', () => {
    const hello = {
      server: { version: 'x', bootId: 'b' },
      auth: { deviceToken: 't' },
      snapshot: { sessionDefaults: { defaultAgentId: 'main' } },
      policy: { maxPayload: 5, tickIntervalMs: 20, attachments: { maxBytes: 1, maxImageBytes: 2 } },
    };
    expect(readHello(hello)).toEqual(hello);
  });

  it.each([
    [{ server: {} }, { server: { version: expect.stringContaining('does not tell') }, auth: {} }],
    [{ server, auth: { deviceToken: 7 } }, { auth: { deviceToken: undefined } }],
    [{ server, snapshot: { sessionDefaults: null } }, { snapshot: undefined }],
    [{ server, policy: { ...USUAL, attachments: { maxBytes: 1 } } }, { policy: { attachments: undefined } }],
  ])('may lack something: %j', (value, read) => {
    expect(readHello(value)).toMatchObject(read);
  });

  it.each([
    undefined,
    null,
    {},
    ...[0, -1, Number.NaN, null, '5', 1e12, Infinity].map((tickIntervalMs) => ({ tickIntervalMs })),
    ...[0, -1, Number.NaN, null, '5', Infinity].map((maxPayload) => ({ maxPayload })),
  ])('sets no limits that cannot be: %j', (policy) => {
    expect(readHello({ server, policy })?.policy).toEqual(USUAL);
  });
});

describe("a gateway's challenge", () => {
  it.each([null, undefined, {}, { nonce: 'n' }, { nonce: 7, ts: 1 }])('is not %j', (value) => {
    expect(readChallenge(value)).toBeUndefined();
  });

  it('is a word and a time', () => {
    expect(readChallenge({ nonce: 'n', ts: 1 })).toEqual({ nonce: 'n', ts: 1 });
  });
});

it('a machine is called what OpenClaw calls it, with its family', () => {
  expect(clientPlatform('darwin')).toEqual({ platform: 'macos', deviceFamily: 'Mac' });
  expect(clientPlatform('win32')).toEqual({ platform: 'windows', deviceFamily: 'Windows' });
  expect(clientPlatform('linux')).toEqual({ platform: 'linux', deviceFamily: 'Linux' });
  expect(clientPlatform('freebsd')).toEqual({ platform: 'freebsd' });
});
