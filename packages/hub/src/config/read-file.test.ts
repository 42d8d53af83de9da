import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile, readConfigText } from './read-file.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-read-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string): string => {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
};

describe('readConfigText', () => {
  it('returns the text unchanged', () => {
    const text = '// mine\n{ debug: true, }\n';
    expect(readConfigText(write(text))).toBe(text);
  });

  it.each(['', ' \n'])('treats an empty file as an empty object: %j', (text) => {
    expect(readConfigText(write(text))).toBe('{}\n');
  });

  it('treats a missing file as an empty object', () => {
    expect(readConfigText(join(folder, 'none.json'))).toBe('{}\n');
  });

  it('reports an unreadable file', () => {
    expect(() => readConfigText(folder)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE', hint: expect.any(String) }),
    );
  });
});

describe('readConfigFile', () => {
  it('reads JSON5 without resolving references', () => {
    expect(readConfigFile(write(`{ a: '$KEY', /* end */ }`))).toEqual({ a: '$KEY' });
  });

  it.each(['{', '{servers:}', '{"a":1', "{'servers': {},,}"])(
    'reports the position of the error in %j',
    (text) => {
      const path = write(text);
      expect(() => readConfigFile(path)).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringMatching(new RegExp(`^${path} is not JSON5: .*\\d+:\\d+\\.$`)),
          hint: expect.stringContaining('Correct the file'),
        }),
      );
    },
  );
});
