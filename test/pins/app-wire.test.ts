/** What the library for apps and the hub both know, and have written down twice: the library imports nothing of the hub. */
import { describe, expect, it } from 'vitest';
import { APP_TIMES } from '../../packages/hub/src/app/options.ts';
import {
  authorizationOf,
  CLOSED,
  FEATURES,
  MAX_JOINED_BYTES,
  MAX_PROGRESS_CHARS,
  subprotocolsOf,
  VERSION,
} from '../../packages/hub/src/app/wire.ts';
import { CLOSE } from '../../packages/hub/src/core/app-bridge.ts';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import { FRAME_FORM } from '../../packages/hub/src/apps/frames/frame.ts';
import { BRIDGE_PROTOCOL, createKeys } from '../../packages/hub/src/apps/listener/keys.ts';
import { bridgeBench } from '../kit/bridge-bench.ts';

describe('the library for apps and the hub agree on', () => {
  it('the codes that a bridge is closed with', () => {
    expect(CLOSED).toEqual({
      refused: CLOSE.unauthorized,
      unknown: CLOSE.unknownSession,
      takenOver: CLOSE.replaced,
    });
  });

  it('how large things may be', () => {
    expect(MAX_JOINED_BYTES).toBe(DEFAULT_LIMITS.maxJoinedBytes);
    expect(MAX_PROGRESS_CHARS).toBe(FRAME_FORM.maxProgressChars);
  });

  it('how long a bridge may be silent: the hub asks at least twice before the library gives up', () => {
    expect(APP_TIMES.silenceMs).toBeGreaterThan(2 * DEFAULT_LIMITS.bridgePingMs);
  });

  it('the version, and every feature', async () => {
    const bench = bridgeBench();
    const { socket, say } = await bench.open(await bench.register());
    say({ type: 'hello', version: VERSION, features: FEATURES });
    await Promise.resolve();
    expect(socket.frames('welcome')).toMatchObject([{ version: VERSION, features: FEATURES }]);
  });

  it.each(['plain-token', 'tök', 'ключ€', '鍵😀'])('how the token %s is sent', (token) => {
    const keys = createKeys(
      { appToken: token, openClawToken: undefined, apps: [], takesAnonymous: false },
      (text) => `digest of ${text}`,
    );
    const key = { app: 'apps', credential: `digest of ${token}` };
    expect(keys.appOf({ authorization: authorizationOf(token) })).toEqual(key);
    expect(keys.appOf({ 'sec-websocket-protocol': subprotocolsOf(token).join(', ') })).toEqual(key);
    expect(subprotocolsOf(token)[0]).toBe(BRIDGE_PROTOCOL);
    expect(subprotocolsOf('')).toEqual([BRIDGE_PROTOCOL]);
  });
});
