import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../../test/kit/temporary-folder.ts';
import { readJsonlFile } from '../a2ui-commands.ts';

const refused = { message: 'Failed to read jsonlPath', notExecuted: true };

describe('a file of lines', () => {
  it('is read below the folder, also through links that stay there', async () => {
    using outer = temporaryFolder('jsonl');
    const temporary = join(outer.path, 'tmp');
    mkdirSync(join(temporary, 'a'), { recursive: true });
    writeFileSync(join(temporary, 'a', 'x.jsonl'), '{}\n');
    symlinkSync(join(temporary, 'a', 'x.jsonl'), join(temporary, 'link'));
    symlinkSync(temporary, join(outer.path, 'way'));
    for (const path of ['tmp/a/x.jsonl', 'tmp/link', 'tmp/a/../a/x.jsonl', 'way/link'])
      expect(await readJsonlFile(join(outer.path, path), temporary, 4_194_304)).toBe('{}\n');
    expect(await readJsonlFile(join(temporary, 'link'), join(outer.path, 'way'), 4_194_304)).toBe('{}\n');
  });

  it('is refused elsewhere, and by links that lead elsewhere, without a word of why', async () => {
    using outer = temporaryFolder('jsonl');
    const temporary = join(outer.path, 'tmp');
    mkdirSync(temporary);
    mkdirSync(join(outer.path, 'tmp-beside'));
    writeFileSync(join(outer.path, 'secret'), 'secret');
    writeFileSync(join(outer.path, 'tmp-beside', 'x'), 'secret');
    symlinkSync(join(outer.path, 'secret'), join(temporary, 'link'));
    symlinkSync(outer.path, join(temporary, 'up'));
    for (const path of [
      'secret',
      'tmp/../secret',
      'tmp/link',
      'tmp/up/secret',
      'tmp-beside/x',
      'tmp',
      'tmp/none',
    ])
      await expect(readJsonlFile(join(outer.path, path), temporary, 4_194_304)).rejects.toMatchObject(
        refused,
      );
    await expect(readJsonlFile('/dev/zero', temporary, 4_194_304)).rejects.toMatchObject(refused);
    await expect(readJsonlFile('relative', temporary, 4_194_304)).rejects.toMatchObject(refused);
  });

  it('is no pipe, which nobody may ever write to', async () => {
    using temporary = temporaryFolder('jsonl');
    execFileSync('mkfifo', [join(temporary.path, 'pipe')]);
    await expect(
      readJsonlFile(join(temporary.path, 'pipe'), temporary.path, 4_194_304),
    ).rejects.toMatchObject(refused);
  });

  it('is not read where it is too large', async () => {
    using temporary = temporaryFolder('jsonl');
    writeFileSync(join(temporary.path, 'x'), Buffer.alloc(4_194_305));
    await expect(readJsonlFile(join(temporary.path, 'x'), temporary.path, 4_194_304)).rejects.toThrow(
      'jsonl exceeds maximum size of 4194304 bytes',
    );
  });
});
