import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { PincerError } from '../core/errors.ts';
import { loadConfig, parseConfig } from './load.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string): string => {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
};
const failure = (action: () => unknown): PincerError => {
  try {
    action();
  } catch (error) {
    if (PincerError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing failed');
};

describe('loadConfig', () => {
  verifies('004-14-env-substitution');

  it('takes a missing file for an empty one', () => {
    expect(loadConfig(join(folder, 'none.json'), {})).toEqual(parseConfig({}, {}));
  });

  it('reads JSON5, with references to the environment put in', () => {
    const path = write(`// mine
    {
      servers: {
        'github': { url: 'https://example.com/mcp', apiKey: '$KEY', headers: { 'X-A': 'Token \${KEY}' }, },
        files: { command: "npx", args: ['-y', 'server', '$HOME'], env: { PRICE: '5 $$' } },
      }, /* end */
    }`);
    const { servers } = loadConfig(path, { KEY: 'k-1', HOME: '/home/p' });
    expect(servers['github']).toMatchObject({ apiKey: 'k-1', headers: { 'X-A': 'Token k-1' } });
    expect(servers['files']).toMatchObject({ args: ['-y', 'server', '/home/p'], env: { PRICE: '5 $' } });
  });

  it('says of a file that is no JSON5 where', () => {
    const path = write('{servers:}');
    expect(failure(() => loadConfig(path, {})).message).toMatch(/ is not JSON5: .*1:10\.$/);
  });

  it('names file, place and rule of what is not valid', () => {
    const path = write('{ servers: { device: { url: "https://example.com" } } }');
    const error = failure(() => loadConfig(path, {}));
    expect(error.message).toBe(`${path} is not valid: line 1, servers.device: this name is reserved.`);
  });

  it('names server and variable of a reference that is missing', () => {
    const path = write('{ servers: { github: { url: "https://example.com", apiKey: "$GITHUB_KEY" } } }');
    const error = failure(() => loadConfig(path, {}));
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      data: { path: 'servers.github.apiKey', variable: 'GITHUB_KEY' },
    });
  });

  it('asks the vault for secrets, and says which one it does not have', () => {
    const path = write('{ servers: { github: { url: "https://example.com", apiKey: "$secret:GITHUB" } } }');
    const vault: Record<string, string> = { GITHUB: 'gh-1' };
    expect(loadConfig(path, {}, (name) => vault[name]).servers['github']).toMatchObject({ apiKey: 'gh-1' });
    expect(failure(() => loadConfig(path, {}, () => undefined))).toMatchObject({
      code: 'SECRET_UNKNOWN',
      data: { path: 'servers.github.apiKey', secret: 'GITHUB' },
    });
  });

  it('leaves a server alone that is switched off and refers to what is missing', () => {
    const off = { url: 'https://example.com', apiKey: '$secret:NONE', enabled: false };
    const path = write(JSON.stringify({ servers: { off, on: { command: '$RUN' } }, debug: true }));
    expect(loadConfig(path, { RUN: 'npx' })).toMatchObject({
      servers: { off: { enabled: false, apiKey: '$secret:NONE' }, on: { command: 'npx' } },
      debug: true,
    });
    expect(failure(() => loadConfig(path, {}))).toMatchObject({ data: { path: 'servers.on.command' } });
  });

  it('does not show a value that is not valid', () => {
    const path = write('{ servers: { a: { url: "http://example.com/$KEY" } } }');
    const error = failure(() => loadConfig(path, { KEY: 's3cret' }));
    expect(`${error.message} ${error.hint} ${JSON.stringify(error.data)}`).not.toContain('s3cret');
  });

  it('says of a file that cannot be read that it cannot be read', () => {
    expect(failure(() => loadConfig(folder, {}))).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  });
});

describe('parseConfig', () => {
  it('keeps what may be shown of a server: the text before references were put in', () => {
    const server = { url: 'https://user:$KEY@example.com/$KEY/mcp?key=$KEY' };
    const { servers } = parseConfig({ servers: { s: server } }, { KEY: 's3cret' });
    expect(servers['s']!.shown).toBe('https://example.com/$KEY/mcp');
  });
});
