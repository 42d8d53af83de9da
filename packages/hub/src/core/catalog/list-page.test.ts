import { describe, expect, it } from 'vitest';
import { parseListPage } from '../../servers/offer/discover.ts';
import { parseToolDefinition } from './tool-definition.ts';
import { toByteText } from '../wire/byte-text.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';
const parseTools = (result: string): ReturnType<typeof parseListPage<{ name: string; raw: string }>> =>
  parseListPage(result, 'tools', (raw) => parseToolDefinition(raw, 'legacy'));

describe('parseListPage', () => {
  it('keeps the original bytes of each definition', () => {
    const tool = toByteText(`{ "name" : "größe", ${SCHEMA}, "x": 1.0, "n": 99999999999999999999 }`);
    const { entries, nextCursor } = parseTools(`{"tools":[ ${tool} ,{"name":"b",${SCHEMA}}]}`);
    expect(entries.map(({ name }) => name)).toEqual(['größe', 'b']);
    expect(entries[0]!.raw).toBe(tool);
    expect(nextCursor).toBeUndefined();
  });

  it.each([
    ['"next"', 'next'],
    ['"n\\u0065xt"', 'next'],
    [toByteText('"näxt"'), 'näxt'],
    ['""', ''],
    ['null', undefined],
    ['7', undefined],
  ])('reads the cursor %s', (raw, cursor) => {
    expect(parseTools(`{"tools":[],"nextCursor":${raw}}`).nextCursor).toBe(cursor);
  });

  it.each(['{}', '{"tools":null}', '{"tools":{}}', '{"tools":"[]"}', '[]', 'null', '7', '"x"'])(
    'finds no tool in %s',
    (result) => {
      expect(parseTools(result)).toEqual({ entries: [], nextCursor: undefined });
    },
  );

  it('skips invalid tools and keeps the others', () => {
    const list = `[null,1,"a",[],{},{"name":1,${SCHEMA}},{"name":"",${SCHEMA}},{"name":"good",${SCHEMA}}]`;
    expect(parseTools(`{"tools":${list}}`).entries.map(({ name }) => name)).toEqual(['good']);
  });
});
