import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import JSON5 from 'json5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRecord } from '../lib/record.ts';
import { editConfigText, editServer } from './edit.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-edit-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (text: string): string => {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
};
const SERVER = { command: 'npx', args: ['-y', 'x'] };
const COMMENTED = `// my hub
{
  /* all of them */
  "servers": {
    "a": { "url": "https://a.example" }, // the first
  },
  "debug": true // for now
}
`;
const JSON5_TEXT = `{
  servers: {
    a: { url: 'https://a.example' }, // the first
    b: {
      command: 'npx',
      // why
      env: { A: '1', B: '2' },
    },
  },
}
`;
const set = (text: string, path: string, value: unknown): string =>
  editConfigText(text, [{ path: path.split('.'), value }], 'config.json');

describe('editServer', () => {
  it('adds a server and keeps comments, order and formatting of the rest', () => {
    expect(editServer(file(COMMENTED), 'b', SERVER)).toBe(`// my hub
{
  /* all of them */
  "servers": {
    "a": { "url": "https://a.example" }, // the first
    "b": {
      "command": "npx",
      "args": ["-y", "x"]
    },
  },
  "debug": true // for now
}
`);
  });

  it('writes in the style of the file', () => {
    expect(editServer(file(JSON5_TEXT), 'c-d', SERVER)).toContain(`
    },
    'c-d': {
      command: 'npx',
      args: ['-y', 'x']
    },
  },
}`);
    const tabs = '{\r\n\t"servers": {\r\n\t\t"a": {}\r\n\t}\r\n}';
    expect(editServer(file(tabs), 'b', { url: 'x' })).toBe(
      '{\r\n\t"servers": {\r\n\t\t"a": {},\r\n\t\t"b": { "url": "x" }\r\n\t}\r\n}',
    );
  });

  it('does not replace a server, not even one that is switched off', () => {
    expect(() => editServer(file(COMMENTED), 'a', SERVER)).toThrow(
      expect.objectContaining({ code: 'SERVER_EXISTS' }) as Error,
    );
  });

  it.each(['', ' \n', '{}', '{ "servers": {} }', '{servers:{}}', '{ servers: { /* none */ } }'])(
    'adds to the existing content: %j',
    (text) => {
      expect(JSON5.parse(editServer(file(text), 'a', SERVER))).toEqual({ servers: { a: SERVER } });
    },
  );

  it('creates a missing file', () => {
    expect(editServer(join(folder, 'none.json'), 'a', SERVER)).toBe(`{
  "servers": {
    "a": {
      "command": "npx",
      "args": ["-y", "x"]
    }
  }
}
`);
  });

  it('does not write the file', () => {
    const path = file(COMMENTED);
    editServer(path, 'b', SERVER);
    expect(editServer(path, 'c', SERVER)).not.toContain('"b"');
  });

  it('reports a file that cannot be read or is not JSON5', () => {
    expect(() => editServer(folder, 'a', SERVER)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE' }),
    );
    expect(() => editServer(file('{ "servers": {}'), 'a', SERVER)).toThrow(/is not JSON5/);
  });
});

describe('editConfigText', () => {
  it('replaces a value and nothing else', () => {
    expect(set(JSON5_TEXT, 'servers.b.env.A', "it's")).toBe(JSON5_TEXT.replace("'1'", String.raw`'it\'s'`));
    expect(set(JSON5_TEXT, 'servers.a', { url: 'u' })).toBe(JSON5_TEXT.replace('https://a.example', 'u'));
  });

  it('creates missing objects on the path', () => {
    expect(set(JSON5_TEXT, 'servers.a.policy.write_file', 'ask')).toContain(
      "a: { url: 'https://a.example', policy: { write_file: 'ask' } }, // the first",
    );
    expect(set(COMMENTED, 'limits.maxCalls', 3)).toContain(`"debug": true, // for now
  "limits": { "maxCalls": 3 }
}`);
  });

  it('replaces a value on the path by an object', () => {
    expect(JSON5.parse(set('{ a: 1 }', 'a.b.c', 2))).toEqual({ a: { b: { c: 2 } } });
  });

  it('removes a member with its comma and the comment on its line', () => {
    expect(set(JSON5_TEXT, 'servers.a', undefined)).toBe(
      JSON5_TEXT.replace("    a: { url: 'https://a.example' }, // the first\n", ''),
    );
    expect(set(JSON5_TEXT, 'servers.b.env.A', undefined)).toContain("env: { B: '2' },");
    expect(set(JSON5_TEXT, 'servers.b.env.B', undefined)).toContain("env: { A: '1' },");
    expect(set('{\n  "a": 1,\n  "b": 2\n}\n', 'b', undefined)).toBe('{\n  "a": 1\n}\n');
    expect(set('{\n  "a": 1,\n  "b": 2\n}\n', 'a', undefined)).toBe('{\n  "b": 2\n}\n');
    expect(set(COMMENTED, 'debug', undefined)).not.toContain('// for now');
    expect(set('{ "a": 1 }', 'a', undefined)).toBe('{}');
    expect(set('{ "a": { "b": 1, }, }', 'a.b', undefined)).toBe('{ "a": {}, }');
  });

  it('changes nothing for a missing member', () => {
    expect(set(JSON5_TEXT, 'servers.z.env', undefined)).toBe(JSON5_TEXT);
  });

  it('refuses an edit that would not have the intended value', () => {
    expect(() => set('{ a: 1, a: 2 }', 'a', undefined)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: 'Change it yourself: remove a' }),
    );
    expect(() => set('[]', 'a', 1)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('has the intended value, independent of the formatting', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'servers', 'x-y'), fc.string({ maxLength: 4 }));
    const value = fc.jsonValue({ maxDepth: 3 }).filter((it) => it !== null && typeof it === 'object');
    const path = fc.array(key, { minLength: 1, maxLength: 3 });
    const written = fc.record({
      value: fc.dictionary(key, fc.oneof(value, fc.jsonValue()), { maxKeys: 4 }),
      isJson5: fc.boolean(),
      space: fc.constantFrom('', '  ', '\t'),
    });
    fc.assert(
      fc.property(written, path, fc.option(fc.jsonValue(), { nil: undefined }), (from, at, any) => {
        // JSON has no minus zero.
        const to: unknown = any === undefined ? undefined : JSON.parse(JSON.stringify(any));
        fc.pre(!at.includes('__proto__') && !JSON.stringify(from.value).includes('__proto__'));
        const text = from.isJson5
          ? JSON5.stringify(from.value, undefined, from.space)
          : JSON.stringify(from.value, undefined, from.space);
        const edited = editConfigText(text, [{ path: at, value: to }], 'f');
        const found = at.reduce<unknown>(
          (inner, step) => (isRecord(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined),
          JSON5.parse(edited),
        );
        expect(found).toEqual(to);
      }),
      { numRuns: 500 },
    );
  });
});
