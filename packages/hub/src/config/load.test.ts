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
  it('treats a missing file as empty', () => {
    expect(loadConfig(join(folder, 'none.json'), {})).toEqual(parseConfig({}, {}));
  });

  it('reads JSON5 and resolves references to the environment', () => {
    verifies('004-14-env-substitution');
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

  it('reports the position of a JSON5 error', () => {
    const path = write('{servers:}');
    expect(failure(() => loadConfig(path, {})).message).toMatch(/ is not JSON5: .*1:10\.$/);
  });

  it('refuses JSON5 that is not an object', () => {
    expect(failure(() => loadConfig(write('[]'), {}))).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('reports file, line, setting and rule of an invalid setting, with a hint', () => {
    const path = write(
      '{\n  servers: {\n    device: { url: "https://example.com" },\n    b: { command: "x", colour: 1 } } }',
    );
    const { failed, problems } = loadConfig(path, {});
    expect(problems).toEqual(failed.flatMap((server) => server.problems));
    expect(problems).toMatchObject([
      {
        section: 'servers',
        name: 'device',
        setting: 'servers.device',
        file: path,
        line: 3,
        code: 'CONFIG_INVALID',
        message: `Line 3 of ${path}, servers.device: this name is reserved.`,
        hint: 'Rename it in the file, or remove it: pincer unset device',
      },
      { name: 'b', line: 4, hint: expect.stringContaining('pincer set b colour VALUE') as string },
    ]);
  });

  it('reports the server and the variable of an unresolved reference', () => {
    verifies('004-14-env-substitution');
    const path = write('{ servers: { github: { url: "https://example.com", apiKey: "$GITHUB_KEY" } } }');
    expect(loadConfig(path, {})).toMatchObject({
      servers: {},
      failed: [{ name: 'github', shown: 'https://example.com', enabled: true, transport: 'http' }],
      problems: [
        { code: 'CONFIG_INVALID', setting: 'servers.github.apiKey', missing: { variable: 'GITHUB_KEY' } },
      ],
    });
  });

  it('uses every server except invalid ones', () => {
    verifies('004-6.2-types');
    const good = { command: 'x' };
    const wrong = {
      variable: { command: '$NOT_SET' },
      secret: { url: 'https://a.example', apiKey: '$secret:NONE' },
      key: { command: 'x', colour: 'red' },
      type: { command: 7 },
      plain: { url: 'http://a.example/mcp' },
      'bad name': good,
      agent: good,
      empty: {},
      number: 5,
      filter: { command: 'x', toolFilter: ['a'] },
      prefix: { command: 'x', toolPrefix: 'good' },
    };
    const { servers, failed } = loadConfig(write(JSON.stringify({ servers: { ...wrong, good } })), {});
    expect(Object.keys(servers)).toEqual(['good']);
    expect(failed.map(({ name }) => name).toSorted()).toEqual(Object.keys(wrong).toSorted());
    for (const { problems } of failed) {
      expect(problems).toHaveLength(1);
      expect(problems[0]!.message).toContain(problems[0]!.setting);
      expect(problems[0]!.hint).not.toBe('');
    }
  });

  it('keeps a disabled invalid server disabled', () => {
    const path = write('{ servers: { off: { enabled: false, comand: "x" } } }');
    expect(loadConfig(path, {}).failed).toMatchObject([{ name: 'off', enabled: false }]);
  });

  it('reads secrets from the vault and reports a missing one', () => {
    const path = write('{ servers: { github: { url: "https://example.com", apiKey: "$secret:GITHUB" } } }');
    const vault: Record<string, string> = { GITHUB: 'gh-1' };
    expect(loadConfig(path, {}, (name) => vault[name]).servers['github']).toMatchObject({ apiKey: 'gh-1' });
    expect(loadConfig(path, {}, () => undefined).problems).toMatchObject([
      {
        code: 'SECRET_UNKNOWN',
        setting: 'servers.github.apiKey',
        hint: expect.stringContaining('pincer secret set GITHUB') as string,
      },
    ]);
  });

  it('ignores unresolved references of a disabled server', () => {
    const off = { url: 'https://example.com', apiKey: '$secret:NONE', enabled: false };
    const path = write(JSON.stringify({ servers: { off, on: { command: '$RUN' } }, debug: true }));
    expect(loadConfig(path, { RUN: 'npx' })).toMatchObject({
      servers: { off: { enabled: false, apiKey: '$secret:NONE' }, on: { command: 'npx' } },
      debug: true,
    });
    expect(loadConfig(path, {}).problems).toMatchObject([{ setting: 'servers.on.command' }]);
  });

  it('does not show an invalid value', () => {
    const path = write('{ servers: { a: { url: "http://example.com/$KEY" } } }');
    const { failed, problems } = loadConfig(path, { KEY: 's3cret' });
    expect(problems).toHaveLength(1);
    expect(JSON.stringify([failed, problems])).not.toContain('s3cret');
  });

  it('reports an unreadable file', () => {
    expect(failure(() => loadConfig(folder, {}))).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  });
});

describe('parseConfig', () => {
  it('keeps the text before references were resolved, for display', () => {
    const server = { url: 'https://user:$KEY@example.com/$KEY/mcp?key=$KEY' };
    const { servers } = parseConfig({ servers: { s: server } }, { KEY: 's3cret' });
    expect(servers['s']!.shown).toBe('https://example.com/$KEY/mcp');
  });
});
