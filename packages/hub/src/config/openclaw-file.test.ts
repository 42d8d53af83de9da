import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLE } from '../../../../test/kit/openclaw/example.ts';
import { verifies } from '../../../../test/verifies.ts';
import { loadConfig } from './load.ts';
import { openClawFilePath, readOpenClawFile } from './openclaw-file.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'pincer-openclaw-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const openClaw = (servers: object, entry: object = {}, settings: object = {}): string =>
  write(
    'openclaw.json',
    JSON.stringify(
      { plugins: { entries: { 'mcp-client': { ...entry, config: { servers, ...settings } } } } },
      undefined,
      2,
    ),
  );

describe('openClawFilePath', () => {
  it('returns the path that OpenClaw uses, unless Pincer has a separate folder', () => {
    expect(openClawFilePath({ HOME: '/h' })).toBe('/h/.openclaw/openclaw.json');
    expect(openClawFilePath({ HOME: '/h', OPENCLAW_STATE_DIR: '/s' })).toBe('/s/openclaw.json');
    expect(openClawFilePath({ HOME: '/h', PINCER_HOME: '/p' })).toBeUndefined();
    expect(openClawFilePath({ HOME: '/h', PINCER_HOME: '/h/.openclaw/mcp' })).toBe(
      '/h/.openclaw/openclaw.json',
    );
    expect(openClawFilePath({ PINCER_HOME: '/p', OPENCLAW_STATE_DIR: '/s' })).toBe('/s/openclaw.json');
    expect(openClawFilePath({ OPENCLAW_CONFIG_PATH: '/c.json', OPENCLAW_STATE_DIR: '/s' })).toBe('/c.json');
    expect(openClawFilePath({})).toBeUndefined();
  });
});

describe('readOpenClawFile', () => {
  it('returns undefined without settings for Pincer', () => {
    verifies('004-6.3-disabled-plugin');
    expect(readOpenClawFile(undefined)).toBeUndefined();
    expect(readOpenClawFile(join(folder, 'none.json'))).toBeUndefined();
    expect(readOpenClawFile(write('openclaw.json', '{ plugins: { entries: {} } }'))).toBeUndefined();
    expect(readOpenClawFile(openClaw({ a: {} }, { enabled: false }))).toBeUndefined();
    expect(readOpenClawFile(openClaw({ a: {} }, { enabled: true }))).toMatchObject({ servers: { a: {} } });
    const off = { OPENCLAW_CONFIG_PATH: openClaw({ a: { command: 'x' } }, { enabled: false }) };
    expect(loadConfig(join(folder, 'none.json'), off).servers).toEqual({});
  });
});

describe('loadConfig', () => {
  it('accepts the example of the specification', () => {
    verifies('004-6.3-location', '004-6.3-example');
    const env = { OPENCLAW_CONFIG_PATH: openClaw(EXAMPLE.servers) };
    const { servers } = loadConfig(join(folder, 'none.json'), env);
    expect(Object.keys(servers)).toEqual(['tavily', 'github-mcp', 'local-filesystem', 'private-corp-server']);
    expect(servers['tavily']).toMatchObject({ apiKey: 'tvly-xxxxx', origin: 'openclaw.json' });
    expect(servers['private-corp-server']!.auth).toMatchObject({ scopes: ['read', 'write'] });
  });

  it('uses servers of both files; config.json takes precedence', () => {
    verifies('004-6.3-location');
    const path = write('config.json', '{ servers: { a: { url: "https://own.example" } } }');
    const env = {
      OPENCLAW_CONFIG_PATH: openClaw({
        a: { url: 'https://other.example' },
        b: { command: 'x', args: ['$WORD'] },
      }),
      WORD: 'w',
    };
    const { servers } = loadConfig(path, env);
    expect(Object.keys(servers)).toEqual(['a', 'b']);
    expect(servers['a']).toMatchObject({ url: 'https://own.example', origin: 'config.json' });
    expect(servers['b']).toMatchObject({ args: ['w'], shown: 'x $WORD', origin: 'openclaw.json' });
  });

  it('uses settings for all servers that config.json does not have', () => {
    const path = write('config.json', '{ maxConcurrentServers: 7 }');
    const settings = { toolDiscoveryInterval: 1_000, maxConcurrentServers: 3, debug: true, toolsVia: 'node' };
    const env = { OPENCLAW_CONFIG_PATH: openClaw({}, {}, settings) };
    expect(loadConfig(path, env)).toMatchObject({
      toolDiscoveryInterval: 1_000,
      maxConcurrentServers: 7,
      debug: true,
    });
  });

  it.each(['[]', 'null', '"none"'])(
    'keeps the servers of OpenClaw if `servers` in config.json is %s',
    (servers) => {
      const path = write('config.json', `{ servers: ${servers} }`);
      const env = { OPENCLAW_CONFIG_PATH: openClaw({ b: { command: 'x' } }, {}, { debug: true }) };
      expect(loadConfig(path, env)).toMatchObject({
        debug: true,
        servers: { b: { origin: 'openclaw.json' } },
        problems: [{ file: path, section: 'servers', effect: 'None of these servers is used.' }],
      });
    },
  );

  it('reports the file and line of a problem', () => {
    const path = write('config.json', '{}');
    const env = { OPENCLAW_CONFIG_PATH: openClaw({ b: { command: 'x', tolPrefix: 'y' } }) };
    expect(loadConfig(path, env)).toMatchObject({
      failed: [{ name: 'b', origin: 'openclaw.json' }],
      problems: [
        {
          file: env.OPENCLAW_CONFIG_PATH,
          line: 9,
          message: `Line 9 of ${env.OPENCLAW_CONFIG_PATH}, servers.b.tolPrefix: unknown; did you mean "toolPrefix"?`,
          hint: `Correct plugins.entries.mcp-client.config.servers.b.tolPrefix in ${env.OPENCLAW_CONFIG_PATH}.`,
        },
      ],
    });
    const other = { OPENCLAW_CONFIG_PATH: openClaw({}, {}, { maxConcurrentServers: 0 }) };
    expect(loadConfig(path, other)).toMatchObject({
      maxConcurrentServers: 20,
      problems: [{ file: other.OPENCLAW_CONFIG_PATH, line: 7, effect: 'The default applies.' }],
    });
  });
});
