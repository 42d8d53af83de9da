import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import JSON5 from 'json5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editServer } from './edit.ts';

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

describe('editServer', () => {
  it('adds a server and keeps comments, order and form of everything else', () => {
    const edited = editServer(file(COMMENTED), 'b', SERVER);
    for (const kept of ['// my hub', '/* all of them */', '// the first', '// for now'])
      expect(edited).toContain(kept);
    expect(JSON5.parse(edited)).toEqual({
      servers: { a: { url: 'https://a.example' }, b: SERVER },
      debug: true,
    });
    expect(edited.indexOf('"a"')).toBeLessThan(edited.indexOf('"b"'));
  });

  it('does not replace a server, not even one that is switched off', () => {
    expect(() => editServer(file(COMMENTED), 'a', SERVER)).toThrow(
      expect.objectContaining({ code: 'SERVER_EXISTS' }) as Error,
    );
  });

  it.each(['', ' \n', '{}', '{ "servers": {} }'])('begins with what there is: %j', (text) => {
    expect(JSON5.parse(editServer(file(text), 'a', SERVER))).toEqual({ servers: { a: SERVER } });
  });

  it('begins a file that does not exist', () => {
    const edited = editServer(join(folder, 'none.json'), 'a', SERVER);
    expect(edited).toBe(
      `{\n  "servers": {\n    "a": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x"\n      ]\n    }\n  }\n}\n`,
    );
  });

  it('does not touch the file itself', () => {
    const path = file(COMMENTED);
    editServer(path, 'b', SERVER);
    expect(editServer(path, 'c', SERVER)).not.toContain('"b"');
  });

  it.each(['{ servers: {} }', "{ 'servers': {} }", '{ "servers": {}', '{ "a": +1 }'])(
    'leaves JSON5 that it cannot keep as it is to the person: %s',
    (text) => {
      expect(() => editServer(file(text), 'a', SERVER)).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          hint: expect.stringContaining(JSON.stringify({ a: SERVER })),
        }),
      );
    },
  );

  it('says of a file that cannot be read that it cannot be read', () => {
    expect(() => editServer(folder, 'a', SERVER)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE' }),
    );
  });
});
