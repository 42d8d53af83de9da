import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { checkConfig } from './check.ts';

const HTTP = { url: 'https://example.com/mcp' };
const messages = (config: object): string[] =>
  checkConfig(config, { env: {} }).issues.map(({ message }) => message);
const ofServer = (server: object): string[] => messages({ servers: { s: { ...HTTP, ...server } } });

describe('the message about a wrong setting', () => {
  it('suggests a similar name at every level', () => {
    expect(ofServer({ tolPrefix: 'x' })).toEqual([
      'servers.s.tolPrefix: unknown; did you mean "toolPrefix"?',
    ]);
    expect(ofServer({ toolFilter: { includes: [] } })).toEqual([
      'servers.s.toolFilter.includes: unknown; did you mean "include"?',
    ]);
    expect(ofServer({ auth: { clientID: 'x', scope: 'y' } })).toEqual([
      'servers.s.auth.clientID: unknown; did you mean "clientId"?',
      'servers.s.auth.scope: unknown; did you mean "scopes"?',
    ]);
    expect(messages({ telemetry: { endpiont: 'x' }, store: { keepDay: 1 } })).toEqual([
      'store.keepDay: unknown; did you mean "keepDays"?',
      'telemetry.endpiont: unknown; did you mean "endpoint"?',
    ]);
  });

  it('knows the names in other programs', () => {
    expect(messages({ mcpServers: {} })).toEqual(['mcpServers: unknown; did you mean "servers"?']);
    expect(ofServer({ timeout: 20, disabled: true })).toEqual([
      'servers.s.timeout: unknown; did you mean "requestTimeoutMs"?',
      'servers.s.disabled: unknown; did you mean "enabled"?',
    ]);
  });

  it('uses plain words', () => {
    verifies('004-6.2-url-format', '004-6.2-types');
    expect(ofServer({ trust: 'pinned', start: 7, requestTimeoutMs: '30s', connectTimeoutMs: 0 })).toEqual([
      'servers.s.connectTimeoutMs: must be at least 1',
      'servers.s.requestTimeoutMs: must be a number, not a text',
      'servers.s.start: must be eager or lazy',
      'servers.s.trust: must be ask, pin or always',
    ]);
    expect(ofServer({ trust: 'pinn', requestTimeoutMs: 1.5, env: [], enabled: 'no', apiKey: '' })).toEqual([
      'servers.s.enabled: must be true or false, not a text',
      'servers.s.env: must be an object, not a list',
      'servers.s.apiKey: must not be empty',
      'servers.s.requestTimeoutMs: must be a whole number, not a fraction',
      'servers.s.trust: must be ask, pin or always; did you mean "pin"?',
    ]);
    expect(ofServer({ url: 'x' })).toEqual([
      'servers.s.url: must be a URL that begins with https:// or http://',
    ]);
  });
});

describe('checkConfig', () => {
  it('reports unresolved references and all other issues at once', () => {
    const { issues, config } = checkConfig(
      { servers: { a: { url: '$URL', tolPrefix: 'x' }, b: { command: 'x', args: ['$secret:K'] } } },
      { env: {} },
    );
    expect(config.servers).toEqual({});
    expect(issues).toMatchObject([
      {
        message: 'servers.a.url refers to $URL, but URL is not set in the environment',
        missing: { variable: 'URL' },
      },
      { code: 'SECRET_UNKNOWN', missing: { secret: 'K', path: 'servers.b.args[0]' } },
      { message: 'servers.a.tolPrefix: unknown; did you mean "toolPrefix"?', code: 'CONFIG_INVALID' },
    ]);
  });

  it('ignores an unresolved reference in a disabled server', () => {
    const { issues, config } = checkConfig(
      { servers: { a: { url: 'https://$HOST/mcp', enabled: false } } },
      { env: {} },
    );
    expect(issues).toEqual([]);
    expect(Object.keys(config.servers)).toEqual(['a']);
  });
});
