import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createKeys, type KeySettings } from './keys.ts';

const SETTINGS: KeySettings = {
  appToken: 'shared',
  openClawToken: 'caller-Ωà',
  apps: [
    { name: 'web', tokenHash: sha256('web-token'), origins: ['https://web.example'] },
    { name: 'desk', tokenHash: sha256('desk-token'), origins: [] },
  ],
  takesAnonymous: false,
};

const keys = createKeys(SETTINGS, sha256);
/** Node reads headers as latin1. */
const bearer = (token: string): { authorization: string } => ({
  authorization: `Bearer ${Buffer.from(token).toString('latin1')}`,
});
const protocol = (token: string): { 'sec-websocket-protocol': string } => ({
  'sec-websocket-protocol': `pincer.bridge, pincer.token.${Buffer.from(token).toString('base64url')}`,
});

describe('tokens', () => {
  it('identify an app, in a header or as a subprotocol', () => {
    expect(keys.appOf(bearer('web-token'))).toEqual({ app: 'web', credential: sha256('web-token') });
    expect(keys.appOf(protocol('desk-token'))?.app).toBe('desk');
    expect(keys.appOf(bearer('shared'))?.app).toBe('apps');
  });

  it.each([
    {},
    bearer(''),
    bearer('wrong'),
    bearer('caller-Ωà'),
    bearer(sha256('web-token')),
    { authorization: 'Basic web-token' },
    { authorization: 'web-token' },
    protocol(''),
    { 'sec-websocket-protocol': 'pincer.token.' },
    { 'sec-websocket-protocol': 'pincer.token.!!!' },
  ])('are refused if they belong to no app: %j', (headers) => {
    expect(keys.appOf(headers)).toBeUndefined();
  });

  it('win over a subprotocol if they are in a header, even if invalid', () => {
    expect(keys.appOf({ ...bearer('wrong'), ...protocol('web-token') })).toBeUndefined();
  });

  it('open only the endpoints for callers if they belong to callers', () => {
    expect(keys.callerOf(bearer('caller-Ωà'))?.id).toBe('proxy');
    for (const headers of [{}, bearer('shared'), bearer('web-token'), protocol('caller-Ωà')])
      expect(keys.callerOf(headers)).toBeUndefined();
  });

  it('may be used by pages of their own app only', () => {
    expect(keys.isKnownOrigin('https://web.example')).toBe(true);
    expect(keys.isKnownOrigin('https://other.example')).toBe(false);
    expect(keys.mayComeFrom('web', 'https://web.example')).toBe(true);
    expect(keys.mayComeFrom('desk', 'https://web.example')).toBe(false);
    expect(keys.mayComeFrom('apps', 'https://web.example')).toBe(false);
  });

  it('are invalid after they were removed', () => {
    const changing = createKeys(SETTINGS, sha256);
    const key = changing.appOf(bearer('web-token'))!;
    const { version } = changing;
    expect(changing.isValidKey(key)).toBe(true);
    changing.configure({ ...SETTINGS, apps: [] });
    expect(changing.isValidKey(key)).toBe(false);
    expect(changing.appOf(bearer('web-token'))).toBeUndefined();
    expect(changing.version).toBeGreaterThan(version);
  });

  it('are not required if none are configured', () => {
    const open = createKeys(
      { appToken: undefined, openClawToken: undefined, apps: [], takesAnonymous: true },
      sha256,
    );
    expect(open.appOf({})?.app).toBe('anonymous');
    expect(open.appOf(bearer('any'))?.app).toBe('anonymous');
    expect(open.callerOf({})?.name).toBe('anonymous');
    expect(open.isKnownOrigin('https://web.example')).toBe(false);
  });
});
