import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveMedia } from './save-media.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'pincer-media-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const result = (content: unknown): string => Buffer.from(JSON.stringify({ content })).toString('latin1');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('saveMedia', () => {
  it('saves pictures, sounds and files, and overwrites nothing', () => {
    const out = join(folder, 'new', 'folder');
    const content = [
      { type: 'text', text: 'no file' },
      { type: 'image', mimeType: 'image/png', data: base64('p') },
      { type: 'image', mimeType: 'image/jpeg', data: base64('q') },
      { type: 'image', mimeType: 'image/png', data: base64('r') },
      { type: 'audio', mimeType: 'audio/x-weird; codec=1', data: base64('s') },
      { type: 'resource', resource: { uri: 'file:///a/notes.md?x=1', text: 'größe' } },
      { type: 'resource_link', uri: 'file:///c', name: 'c' },
    ];
    const saved = saveMedia(result(content), out, 'shot');
    expect(saved.map(({ path }) => path.slice(out.length + 1))).toEqual([
      'shot.png',
      'shot.jpg',
      'shot-2.png',
      'shot.bin',
      'notes.md',
    ]);
    expect(saved[0]).toMatchObject({ mimeType: 'image/png', bytes: 1 });
    expect(readFileSync(join(out, 'shot-2.png'), 'utf8')).toBe('r');
    expect(readFileSync(join(out, 'notes.md'), 'utf8')).toBe('größe');
  });

  it.each(['../../evil', '/etc/passwd', '.bashrc', '..', 'a\\..\\b', ''])(
    'stays in its folder for the URI %s',
    (uri) => {
      saveMedia(result([{ type: 'resource', resource: { uri, blob: base64('x') } }]), folder, '../tool');
      expect(readdirSync(folder)).toHaveLength(1);
      expect(readdirSync(folder)[0]).toMatch(/^\w[\w.-]*$/);
    },
  );

  it('treats the name as a file for one item, and as a folder for several', () => {
    const one = [{ type: 'image', mimeType: 'image/png', data: base64('p') }];
    const out = join(folder, 'shot.png');
    expect(saveMedia(result(one), out, 't').map(({ path }) => path)).toEqual([out]);
    expect(saveMedia(result(one), out, 't')[0]?.path).toBe(join(folder, 'shot-2.png'));
    const many = join(folder, 'v1.2');
    expect(saveMedia(result([...one, ...one]), many, 't').map(({ path }) => path)).toEqual([
      join(many, 't.png'),
      join(many, 't-2.png'),
    ]);
    expect(saveMedia(result(one), many, 't')[0]?.path).toBe(join(many, 't-3.png'));
  });

  it('creates no folder if there is nothing to save', () => {
    expect(saveMedia(result([{ type: 'text', text: 'x' }]), join(folder, 'none'), 't')).toEqual([]);
    expect(saveMedia('{}', join(folder, 'none'), 't')).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says that the tool has run if its result cannot be saved', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => saveMedia(result([{ type: 'image', data: base64('x') }]), file, 't')).toThrow(
      /The tool has run/,
    );
  });
});
