import { readFileSync, realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { foreignLibraries } from './program-file.ts';

const program = (): Buffer => readFileSync(realpathSync('/usr/bin/env'));

/** An entry of the dynamic section: a tag, and an offset in the string table. */
function entry(tag: number, value: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64LE(BigInt(tag), 0);
  bytes.writeBigUInt64LE(BigInt(value), 8);
  return bytes;
}

/** Replaces the entry for debuggers, which is empty in the file. */
function withEntry(tag: number, value: number): Buffer {
  const content = program();
  const at = content.indexOf(entry(21, 0));
  expect(at).toBeGreaterThan(0);
  entry(tag, value).copy(content, at);
  return content;
}

test('a program of the system loads only libraries of the system', () => {
  expect(foreignLibraries(program())).toBeUndefined();
});

test.each([15, 29])('reports a program that names a folder for libraries (%d)', (tag) => {
  expect(foreignLibraries(withEntry(tag, 1))).toMatch(/^loads libraries from /);
  // The table begins with an empty text, which means the working folder.
  expect(foreignLibraries(withEntry(tag, 0))).toBe('loads libraries from the working folder');
});

test('reports a program with another loader', () => {
  const content = program();
  const at = content.indexOf('/lib64/ld-');
  expect(at).toBeGreaterThan(0);
  content.write('/tmp64/ld-', at);
  expect(foreignLibraries(content)).toMatch(/^is started by \/tmp64\/ld-/);
});

test('ignores files that are not ELF, and reports an unreadable header', () => {
  expect(foreignLibraries(Buffer.from('#!/bin/sh\n'))).toBeUndefined();
  expect(foreignLibraries(Buffer.alloc(0))).toBeUndefined();
  expect(foreignLibraries(program().subarray(0, 60))).toBe('has a header that cannot be read');
});
