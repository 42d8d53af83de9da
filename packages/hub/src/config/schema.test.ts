import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { PincerError } from '../core/errors.ts';
import { parseConfig } from './load.ts';
import type { ServerConfig } from './schema.ts';

const HTTP = { url: 'https://example.com/mcp' };

const server = (config: object, name = 's'): ServerConfig =>
  parseConfig({ servers: { [name]: config } }, {}).servers[name]!;

/** The issues of a configuration, each as `path: message`. */
const issues = (value: unknown): string[] => {
  try {
    parseConfig(value, {});
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    const { issues: all } = error.data as { issues: { message: string }[] };
    const found = all.map(({ message }) => message);
    for (const issue of found) expect(error.message).toContain(issue);
    return found;
  }
  return [];
};
const serverIssues = (config: object, name = 's'): string[] => issues({ servers: { [name]: config } });

describe('defaults', () => {
  it('of a configuration', () => {
    verifies('004-12.2-max-concurrent', '004-12.2-discovery-interval', '004-12.2-debug');
    expect(parseConfig({}, {})).toEqual({
      servers: {},
      failed: [],
      problems: [],
      device: {
        enabled: true,
        mcpServer: true,
        nodeMode: false,
        publish: [],
        capabilities: {
          system: true,
          systemRun: true,
          screen: false,
          canvas: true,
          camera: false,
          location: false,
          tts: true,
          device: true,
          clipboard: false,
          app: true,
        },
        browser: { args: [], allow: [] },
        speech: {},
      },
      policy: { notify: true },
      agent: { backend: 'auto', command: ['openclaw'], commands: false, agents: [], orderStatus: false },
      proxy: { enabled: true, host: '127.0.0.1', allowedHosts: [], apps: [] },
      toolSurface: 'full',
      signIn: {},
      maxConcurrentServers: 20,
      toolDiscoveryInterval: 300_000,
      store: { keepDays: 30, keepMegabytes: 500, arguments: 'redacted', keepCopies: 7, checkHours: 24 },
      telemetry: { headers: {}, traces: true, metrics: true, intervalMs: 60_000, sample: 1 },
      limits: {},
      debug: false,
    });
  });

  it('of a server', () => {
    verifies('004-12.1-request-timeout');
    expect(server(HTTP)).toEqual({
      ...HTTP,
      enabled: true,
      args: [],
      env: {},
      headers: {},
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      start: 'eager',
      isolation: 'shared',
      roots: 'auto',
      trust: 'pin',
      toolFilter: {},
      shown: HTTP.url,
      identity: JSON.stringify({ url: HTTP.url, args: [] }),
      origin: 'config.json',
    });
  });
});

describe('the environment of a server', () => {
  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV'])(
    'cannot contain %s',
    (name) => {
      expect(serverIssues({ command: 'x', env: { [name]: 'y' } })).toEqual([
        expect.stringContaining(`env.${name}`) as string,
      ]);
    },
  );

  it('contains all other declared variables', () => {
    expect(server({ command: 'x', env: { API_KEY: 'k', PATH: '/bin' } }).env).toEqual({
      API_KEY: 'k',
      PATH: '/bin',
    });
  });
});

describe('names of servers', () => {
  it.each(['a', 'github', 'my-server', 'my_server', '9to5', 'x'.repeat(30)])('accept %s', (name) => {
    expect(serverIssues(HTTP, name)).toEqual([]);
  });

  it.each(['device', 'agent', 'apps'])('reserve %s', (name) => {
    expect(serverIssues(HTTP, name)).toEqual([`servers.${name}: this name is reserved`]);
  });

  it.each(['', 'a__b', 'a_', '_a', '-a', 'a.b', 'a b', 'a/b', '../x', 'größe', 'x'.repeat(31)])(
    'refuse %j',
    (name) => {
      expect(serverIssues(HTTP, name)).toHaveLength(1);
    },
  );
});

describe('toolPrefix', () => {
  it.each(['', 'gh', 'a-b'])('may be %j', (toolPrefix) => {
    expect(server({ ...HTTP, toolPrefix }).toolPrefix).toBe(toolPrefix);
  });

  it.each(['a__b', 'a_', 'ä', 'x'.repeat(31), 7])('may not be %j', (toolPrefix) => {
    expect(serverIssues({ ...HTTP, toolPrefix })[0]).toMatch(/^servers\.s\.toolPrefix: /);
  });
});

describe('url', () => {
  it.each([
    'https://example.com',
    'https://example.com:8443/mcp?x=1',
    'https://10.0.0.1/mcp',
    'http://127.0.0.1:3000/mcp',
    'http://localhost/mcp',
    'http://LOCALHOST/mcp',
    'http://127.9.9.9/mcp',
    'http://[::1]:3000/mcp',
    'http://0x7f000001/',
  ])('may be %s', (url) => {
    verifies('004-5.5-https');
    expect(serverIssues({ url })).toEqual([]);
  });

  it.each([
    'http://example.com/mcp',
    'http://127.evil.com/mcp',
    'http://127.0.0.1.nip.io/mcp',
    'http://localhost.evil.com/mcp',
    'http://localhost@evil.com/mcp',
    'http://10.0.0.1/mcp',
    'http://192.168.1.1/mcp',
    'http://0.0.0.0/mcp',
    'http://[::]/mcp',
    'http://169.254.169.254/',
  ])('may not be %s, which is plain http to another machine', (url) => {
    verifies('004-5.5-https');
    expect(serverIssues({ url })).toEqual([
      'servers.s.url: must be https (plain http only to 127.0.0.0/8, ::1 or localhost)',
    ]);
  });

  it.each(['ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)', 'ws://localhost'])(
    'may not be %s, which is another protocol',
    (url) => {
      expect(serverIssues({ url })[0]).toMatch(/^servers\.s\.url: /);
    },
  );

  it('is required for transport http', () => {
    verifies('004-12.1-url');
    expect(serverIssues({})).toEqual(['servers.s.url: an HTTP server needs a url']);
    expect(serverIssues({ transport: 'http' })).toEqual(['servers.s.url: an HTTP server needs a url']);
  });
});

describe('transport', () => {
  it.each([
    HTTP,
    { ...HTTP, transport: 'http' },
    { command: 'npx' },
    { command: 'npx', args: ['-y', 'server'], env: { KEY: 'v' }, cwd: '/tmp' },
    { command: 'npx', args: ['-y', 'server'], transport: 'stdio' },
  ])('is valid in %j', (config) => {
    verifies('004-12.1-transport', '004-6.3-stdio-server');
    expect(serverIssues(config)).toEqual([]);
    expect(server(config)).toMatchObject(config);
  });

  it.each([
    [{ transport: 'stdio' }, 'servers.s.command: a stdio server needs a command'],
    [{ ...HTTP, transport: 'stdio', command: 'x' }, 'servers.s.url: a stdio server takes no url'],
    [{ ...HTTP, command: 'x' }, 'servers.s.url: a stdio server takes no url'],
    [{ ...HTTP, command: 'x', transport: 'http' }, 'servers.s.command: an HTTP server takes no command'],
  ])('is invalid in %j', (config, issue) => {
    expect(serverIssues(config)).toEqual([issue]);
  });

  it.each(['sse', 'streamable-http', 'HTTP', '', 7])('cannot be %j', (transport) => {
    verifies('004-6.2-transport-values');
    expect(serverIssues({ ...HTTP, transport })[0]).toMatch(/^servers\.s\.transport: /);
  });
});

describe('an invalid configuration', () => {
  it.each<[unknown, string]>([
    [{ serverz: {} }, 'serverz: unknown; did you mean "servers"?'],
    [
      { servers: { s: { ...HTTP, requestTimeout: 1 } } },
      'servers.s.requestTimeout: unknown; did you mean "requestTimeoutMs"?',
    ],
    [{ policy: { servers: {} } }, 'policy.servers: unknown; it takes default, notify'],
    [{ device: { ports: 1 } }, 'device.ports: unknown; did you mean "port"?'],
    [{ limits: { maxCall: 1 } }, 'limits.maxCall: unknown; did you mean "maxCalls"?'],
  ])('has an unknown key, reported with its path: %j', (value, issue) => {
    expect(issues(value)).toEqual([issue]);
  });

  it.each<[object, string]>([
    [{ ...HTTP, requestTimeoutMs: '30s' }, 'servers.s.requestTimeoutMs'],
    [{ ...HTTP, requestTimeoutMs: 0 }, 'servers.s.requestTimeoutMs'],
    [{ ...HTTP, requestTimeoutMs: 1.5 }, 'servers.s.requestTimeoutMs'],
    [{ ...HTTP, requestTimeoutMs: 86_400_001 }, 'servers.s.requestTimeoutMs'],
    [{ ...HTTP, connectTimeoutMs: -1 }, 'servers.s.connectTimeoutMs'],
    [{ ...HTTP, enabled: 'yes' }, 'servers.s.enabled'],
    [{ ...HTTP, apiKey: '' }, 'servers.s.apiKey'],
    [{ ...HTTP, headers: { a: 1 } }, 'servers.s.headers.a'],
    [{ ...HTTP, isolation: 'user' }, 'servers.s.isolation'],
    [{ ...HTTP, policy: { x: 'maybe' } }, 'servers.s.policy.x'],
    [{ command: '' }, 'servers.s.command'],
    [{ command: 'x', args: 'y' }, 'servers.s.args'],
    [{ command: 'x', args: [1] }, 'servers.s.args[0]'],
    [{ command: 'x', env: { A: 1 } }, 'servers.s.env.A'],
  ])('has a wrong value, reported with its path: %j', (config, path) => {
    expect(serverIssues(config).map((issue) => issue.split(': ')[0])).toEqual([path]);
  });

  it.each([null, [], 'x', 7, { servers: [] }, { servers: { s: null } }])('is %j', (value) => {
    expect(issues(value)).toHaveLength(1);
  });

  it('has all its issues reported at once', () => {
    expect(issues({ debug: 'x', servers: { a: {}, device: HTTP } })).toHaveLength(3);
  });
});

describe('policy and limits', () => {
  it('accept rules for any tool name', () => {
    const policy = { '*': 'ask', 'screen.snapshot': 'deny', constructor: 'allow' };
    expect(server({ ...HTTP, policy }).policy).toEqual(policy);
    expect(parseConfig({ policy: { default: 'deny' } }, {}).policy).toMatchObject({ default: 'deny' });
  });

  it('accept every limit as a whole number above 0', () => {
    for (const name of Object.keys(DEFAULT_LIMITS)) {
      expect(parseConfig({ limits: { [name]: 7 } }, {}).limits).toEqual({ [name]: 7 });
      expect(issues({ limits: { [name]: 0 } })).toHaveLength(1);
      expect(issues({ limits: { [name]: 1.5 } })).toHaveLength(1);
    }
  });
});

describe('device.browser.allow', () => {
  const allowing = (...allow: string[]): object => ({ device: { browser: { allow } } });

  it.each(['localhost:3000', '127.0.0.1:80', 'nas.lan:5000', '::1:8080'])('accepts %s', (place) => {
    expect(parseConfig(allowing(place), {}).device.browser.allow).toEqual([place]);
  });

  it.each(['localhost', '127.0.0.1', 'http://localhost:3000', 'localhost:3000/', '*', ''])(
    'refuses %j, which would allow nothing',
    (place) => {
      expect(issues(allowing(place))).toHaveLength(1);
    },
  );
});
