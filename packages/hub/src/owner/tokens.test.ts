import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOrCreateToken, readToken } from './tokens.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-tokens-'));
  path = join(folder, 'mcp-token.txt');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a token is created once, has 43 characters of base64url, and is private', () => {
  expect(readToken(path)).toBeUndefined();
  const token = readOrCreateToken(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(path, 'utf8')).toBe(token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readOrCreateToken(path)).toBe(token);
  expect(readToken(path)).toBe(token);
  expect(readOrCreateToken(join(folder, 'other.txt'))).not.toBe(token);
});

test('keeps a token that a person wrote, without the line end, and replaces an empty file', () => {
  writeFileSync(path, 'my-own-token\n');
  expect(readOrCreateToken(path)).toBe('my-own-token');
  writeFileSync(path, ' \n');
  expect(readToken(path)).toBeUndefined();
  expect(readOrCreateToken(path)).toHaveLength(43);
});

test.each([
  ['random bytes', Buffer.from('ff00c3288017e2', 'hex')],
  ['zeroes', Buffer.alloc(43)],
  ['two lines', Buffer.from('one\ntwo')],
])('replaces a token that cannot be sent in a header (%s)', (_what, bytes) => {
  writeFileSync(path, bytes);
  expect(readToken(path)).toBeUndefined();
  expect(readOrCreateToken(path)).toHaveLength(43);
  expect(readToken(path)).toHaveLength(43);
});

test('reports a file that cannot be read or written, with a hint', () => {
  mkdirSync(path);
  const error = expect.objectContaining({ code: 'TOKEN_UNREADABLE', hint: expect.stringContaining(path) });
  expect(() => readToken(path)).toThrow(error);
  expect(() => readOrCreateToken(path)).toThrow(error);
  expect(() => readOrCreateToken(join(folder, 'missing', 'token.txt'))).toThrow(
    expect.objectContaining({ code: 'TOKEN_UNREADABLE' }),
  );
});
