import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readReplyFiles, stateFolderOf } from './reply-files.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const root = mkdtempSync(join(tmpdir(), 'pincer-reply-'));
const state = join(root, 'state');
const workspace = join(state, 'workspace');

beforeAll(() => {
  for (const folder of [workspace, join(state, 'media'), join(root, 'work')])
    mkdirSync(folder, { recursive: true });
  for (const path of [
    join(workspace, 'pic.png'),
    join(state, 'media', 'voice.bin'),
    join(root, 'outside.png'),
  ])
    writeFileSync(path, PNG);
  writeFileSync(join(workspace, 'note.md'), '# Hi');
  writeFileSync(join(workspace, 'empty.txt'), '');
  writeFileSync(join(state, 'openclaw.json'), '{"secret":1}');
  symlinkSync(join(root, 'outside.png'), join(workspace, 'out.png'));
  symlinkSync(join(workspace, 'pic.png'), join(workspace, 'in.png'));
  symlinkSync(root, join(workspace, 'up'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (url: string, place = { workspace, state }, limits = DEFAULT_LIMITS) =>
  readReplyFiles(
    [{ url, data: undefined, mimeType: undefined, name: undefined, size: undefined }],
    place,
    limits,
  );

describe('readReplyFiles', () => {
  it.each([
    './pic.png',
    'pic.png',
    join(workspace, 'pic.png'),
    pathToFileURL(join(workspace, 'pic.png')).href,
    'in.png',
    join(state, 'media', 'voice.bin'),
  ])('reads %s', async (url) =>
    expect(await read(url)).toMatchObject([{ mimeType: 'image/png', content: { bytes: PNG } }]),
  );

  it('detects text by the file name', async () => {
    expect(await read('note.md')).toEqual([
      { mimeType: 'text/markdown', name: 'note.md', content: { bytes: Buffer.from('# Hi') } },
    ]);
    expect(await read('empty.txt')).toMatchObject([{ content: { bytes: Buffer.alloc(0) } }]);
  });

  it.each([
    join(root, 'outside.png'),
    '../openclaw.json',
    'out.png',
    'up/outside.png',
    'up/state/openclaw.json',
    join(state, 'media', '..', 'openclaw.json'),
    'missing.png',
    'pipe',
    '.',
    'https://example.com/x.png',
    'file://elsewhere/x.png',
    'data:image/png;base64,AAAA',
    '',
  ])('does not read %s', async (url) =>
    expect(await read(url)).toMatchObject([{ content: { missing: expect.stringMatching(/./) } }]),
  );

  it('does not read the state folder even if the workspace contains it', async () => {
    const around = { workspace: root, state };
    expect(await read('outside.png', around)).toMatchObject([{ content: { bytes: PNG } }]);
    expect(await read(join('state', 'openclaw.json'), around)).toMatchObject([
      { content: { missing: expect.any(String) } },
    ]);
    expect(await read(join('state', 'media', 'voice.bin'), around)).toMatchObject([
      { content: { bytes: PNG } },
    ]);
  });

  it('does not read files that are too large', async () => {
    const limits = { ...DEFAULT_LIMITS, maxShelfBytes: PNG.length };
    expect(await read('pic.png', undefined, limits)).toMatchObject([{ content: { bytes: PNG } }]);
    limits.maxShelfBytes--;
    expect(await read('pic.png', undefined, limits)).toMatchObject([{ content: { size: PNG.length } }]);
    const both = { ...DEFAULT_LIMITS, maxShelfBytes: PNG.length + 1 };
    const media = ['pic.png', 'in.png'].map((url) => ({
      url,
      data: undefined,
      mimeType: undefined,
      name: undefined,
      size: undefined,
    }));
    expect(await readReplyFiles(media, { workspace, state }, both)).toMatchObject([
      { content: { bytes: PNG } },
      { content: { size: PNG.length } },
    ]);
  });
});

it('finds the state folder like OpenClaw', () => {
  expect(stateFolderOf({ OPENCLAW_STATE_DIR: '/x/y' })).toBe('/x/y');
  expect(stateFolderOf({ HOME: '/home/ada' })).toBe('/home/ada/.openclaw');
  expect(stateFolderOf({ HOME: '/home/ada', OPENCLAW_PROFILE: 'work' })).toBe('/home/ada/.openclaw-work');
});
