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
  it('is the text as it is written', () => {
    const text = '// mine\n{ debug: true, }\n';
    expect(readConfigText(write(text))).toBe(text);
  });

  it.each(['', ' \n'])('takes an empty file for an empty object: %j', (text) => {
    expect(readConfigText(write(text))).toBe('{}\n');
  });

  it('takes a missing file for an empty object', () => {
    expect(readConfigText(join(folder, 'none.json'))).toBe('{}\n');
  });

  it('says of a file that cannot be read that it cannot be read', () => {
    expect(() => readConfigText(folder)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE', hint: expect.any(String) }),
    );
  });
});

describe('readConfigFile', () => {
  it('reads JSON5 and leaves references as they are', () => {
    expect(readConfigFile(write(`{ a: '$KEY', /* end */ }`))).toEqual({ a: '$KEY' });
  });

  it.each(['{', '{servers:}', '{"a":1', "{'servers': {},,}"])('says where %j is no JSON5', (text) => {
    const path = write(text);
    expect(() => readConfigFile(path)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(new RegExp(`^${path} is not JSON5: .*\\d+:\\d+\\.$`)),
        hint: expect.stringContaining('Correct the file'),
      }),
    );
  });
});
