import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readJsonlFile, readJsonl } from './a2ui-commands.ts';
import { COMPONENTS } from './a2ui/message.ts';

const refused = { message: 'Failed to read jsonlPath', notExecuted: true };

describe('a file of lines', () => {
  it('is read below the temporary folder, also through links that stay there', async () => {
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

  it('is refused elsewhere, also through links, without naming the reason', async () => {
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

  it('must not be a pipe, which might block', async () => {
    using temporary = temporaryFolder('jsonl');
    execFileSync('mkfifo', [join(temporary.path, 'pipe')]);
    await expect(
      readJsonlFile(join(temporary.path, 'pipe'), temporary.path, 4_194_304),
    ).rejects.toMatchObject(refused);
  });

  it('is not read if it is too large', async () => {
    using temporary = temporaryFolder('jsonl');
    writeFileSync(join(temporary.path, 'x'), Buffer.alloc(4_194_305));
    await expect(readJsonlFile(join(temporary.path, 'x'), temporary.path, 4_194_304)).rejects.toThrow(
      'jsonl exceeds maximum size of 4194304 bytes',
    );
  });
});

const read = (jsonl: string, limits = {}) => readJsonl(jsonl, { ...DEFAULT_LIMITS, ...limits });

const lines = (...messages: unknown[]): string =>
  messages.map((message) => JSON.stringify(message)).join('\n');
const update = (...components: unknown[]): object => ({ surfaceUpdate: { surfaceId: 's', components } });
const data = (contents: unknown, path?: string): object => ({
  dataModelUpdate: { surfaceId: 's', contents, path },
});

describe('lines of A2UI', () => {
  it('are parsed as four kinds of messages, skipping blank lines', () => {
    const text = lines(
      update({ id: 'a', weight: 2, component: { Text: { text: { literalString: 'x' } } } }),
      data([
        { key: 'n', valueNumber: 1 },
        { key: 'm', valueMap: [{ key: 'b', valueBoolean: true }] },
      ]),
      { beginRendering: { surfaceId: 's', root: 'a' } },
      { deleteSurface: { surfaceId: 's' } },
    );
    expect(read(`\r\n${text.replaceAll('\n', '\r\n\n')}\n`)).toEqual([
      {
        kind: 'surfaceUpdate',
        surfaceId: 's',
        components: [{ id: 'a', type: 'Text', props: { text: { literalString: 'x' } }, weight: 2 }],
      },
      {
        kind: 'dataModelUpdate',
        surfaceId: 's',
        path: '/',
        contents: [
          { key: 'n', value: 1 },
          { key: 'm', entries: [{ key: 'b', value: true }] },
        ],
      },
      { kind: 'beginRendering', surfaceId: 's', root: 'a', styles: {} },
      { kind: 'deleteSurface', surfaceId: 's' },
    ]);
  });

  it('accept 18 components', () => {
    expect(COMPONENTS).toHaveLength(18);
    const all = COMPONENTS.map((type) => ({ id: type, component: { [type]: {} } }));
    expect(read(lines(update(...all)))).toHaveLength(1);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is not an object'],
    ['{}', 'it needs one of surfaceUpdate, beginRendering, dataModelUpdate, deleteSurface'],
    [lines({ deleteSurface: { surfaceId: 's' }, beginRendering: {} }), 'it needs one of'],
    [lines({ createSurface: {} }), 'createSurface is A2UI v0.9; this canvas supports v0.8'],
    [lines({ updateComponents: {} }), 'updateComponents is A2UI v0.9'],
    [lines({ deleteSurface: 's' }), 'deleteSurface is not an object'],
    [lines({ deleteSurface: { surfaceId: 7 } }), 'surfaceId is missing'],
    [lines({ beginRendering: { surfaceId: 's' } }), 'root is missing'],
    [lines({ surfaceUpdate: { surfaceId: 's' } }), 'components is not a list'],
    [lines(update('x')), 'a component is not an object'],
    [lines(update({ component: { Text: {} } })), 'id is missing'],
    [lines(update({ id: 'a', component: {} })), 'component "a" needs exactly one type'],
    [lines(update({ id: 'a', component: { Text: {}, Row: {} } })), 'needs exactly one type'],
    [lines(update({ id: 'a', component: { Script: {} } })), 'has an unknown type. Known types: Row, Column'],
    [lines(update({ id: 'a', component: { constructor: {} } })), 'has an unknown type'],
    [lines(data('x')), 'contents is not a list'],
    [lines(data([{ key: 'a' }])), 'data entry "a" needs one of valueString'],
    [lines(data([{ key: 'a', valueString: '', valueNumber: 1 }])), 'data entry "a" needs one of'],
    [lines(data([{ key: 'a', valueMap: 1 }])), 'valueMap of "a" is not a list'],
    [lines(data([{ key: 'k'.repeat(257), valueNumber: 1 }])), 'more than 256 characters'],
    [lines(data([{ key: 'a', valueString: 'x'.repeat(65_537) }])), 'a string has more than 65536 characters'],
    [
      lines(data(Array.from({ length: 1_025 }, (_, at) => ({ key: `${at}`, valueNumber: at })))),
      'more than 1024 data entries',
    ],
    [
      lines(
        data([
          {
            key: 'm',
            valueMap: Array.from({ length: 1_024 }, (_, at) => ({ key: `${at}`, valueNumber: at })),
          },
        ]),
      ),
      'more than 1024 data entries',
    ],
    [lines(update({ id: 'a', component: { Text: deep(70) } })), 'it is nested deeper than 64 levels'],
    [
      lines(update({ id: 'a', component: { Text: {} } }), { x: 'y'.repeat(1_100_000) }),
      'line 2: it has more than 1048576 bytes',
    ],
  ])('are refused: %#', (text, why) => {
    expect(() => read(text)).toThrow(why);
    expect(() => read(text)).toThrow(/^Invalid A2UI message on line \d+: /);
  });

  it('are refused as a whole if they are too many or too large', () => {
    const line = lines({ deleteSurface: { surfaceId: 's' } });
    expect(read(Array.from({ length: DEFAULT_LIMITS.maxA2uiLines }, () => line).join('\n\n'))).toHaveLength(
      4_096,
    );
    expect(() =>
      read(Array.from({ length: DEFAULT_LIMITS.maxA2uiLines + 1 }, () => line).join('\n')),
    ).toThrow('jsonl exceeds maximum of 4096 lines');
    expect(() => read('ü'.repeat(DEFAULT_LIMITS.maxA2uiBytes / 2 + 1))).toThrow(
      'jsonl exceeds maximum size of 4194304 bytes',
    );
  });

  it.each([
    [{ maxA2uiBytes: 9 }, 'jsonl exceeds maximum size of 9 bytes'],
    [{ maxA2uiLines: 1 }, 'jsonl exceeds maximum of 1 lines'],
    [{ maxA2uiLineBytes: 9 }, 'line 1: it has more than 9 bytes'],
    [{ maxA2uiDepth: 3 }, 'line 1: it is nested deeper than 3 levels'],
    [{ maxA2uiDataEntries: 1 }, 'line 2: it has more than 1 data entries'],
    [{ maxA2uiKeyChars: 15 }, 'line 2: surfaceId has more than 15 characters'],
    [{ maxA2uiStringChars: 4 }, 'line 1: a string has more than 4 characters'],
  ])('have configurable limits: %j', (limits, why) => {
    const text = lines(update({ id: 'a', component: { Text: { text: 'hello' } } }), {
      dataModelUpdate: {
        surfaceId: 'this surface is it',
        contents: [
          { key: 'a', valueNumber: 1 },
          { key: 'b', valueNumber: 2 },
        ],
      },
    });
    expect(read(text)).toHaveLength(2);
    expect(() => read(text, limits)).toThrow(why);
  });
});

function deep(levels: number): object {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}
