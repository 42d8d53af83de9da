import { describe, expect, it } from 'vitest';
import { TASKS_EXTENSION } from '../protocol.ts';
import { EMPTY_ABOUT, readAbout, readIntroduction } from './server-about.ts';
import { toByteText } from '../wire/byte-text.ts';

const CAPABILITIES =
  '{"tools":{}, "resources":{"subscribe":true,"listChanged":false},"logging":null,' +
  `"extensions":{"${TASKS_EXTENSION}":{"max": 1.0}},"x":99999999999999999999}`;

describe('readIntroduction', () => {
  it('reads the result of initialize', () => {
    const text = toByteText(
      `{"protocolVersion":"2025-11-25","capabilities":${CAPABILITIES},"serverInfo":{"name":"ö"},"instructions":"Größe \\u0041"}`,
    );
    const about = readIntroduction(text, 'legacy');
    expect(about).toMatchObject({
      era: 'legacy',
      capabilities: CAPABILITIES,
      serverInfo: toByteText('{"name":"ö"}'),
      instructions: 'Größe A',
    });
  });

  it('reads the result of server/discover', () => {
    const about = readIntroduction(
      '{"supportedVersions":[],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"}}}',
      'modern',
    );
    expect(about).toMatchObject({ era: 'modern', capabilities: '{}', serverInfo: '{"name":"x"}' });
    expect(about.instructions).toBeUndefined();
  });

  it('reads its own output', () => {
    const about = readIntroduction(
      toByteText(`{"capabilities":${CAPABILITIES},"serverInfo":{"n":1.0},"instructions":"a\\n\\"世界"}`),
      'modern',
    );
    const again = readAbout(about.raw);
    expect(again.raw).toBe(about.raw);
    expect(again.era).toBe('modern');
    expect(again.instructions).toBe('a\n"世界');
    expect(again.capabilities).toBe(CAPABILITIES);
  });

  it.each([
    '{}',
    '7',
    'null',
    '[]',
    '{"capabilities":7,"instructions":{},"serverInfo":"x"}',
    '{"a":1,"a":2}',
  ])('finds nothing in %s', (result) => {
    expect(readIntroduction(result, 'legacy').raw).toBe(EMPTY_ABOUT.raw);
    expect(EMPTY_ABOUT.raw).toBe('{"era":"legacy","capabilities":{}}');
  });
});

describe('capabilities', () => {
  const { has, capability } = readIntroduction(`{"capabilities":${CAPABILITIES}}`, 'legacy');

  it.each([
    [['tools'], true],
    [['prompts'], false],
    [['resources'], true],
    [['resources', 'subscribe'], true],
    [['resources', 'listChanged'], false],
    [['resources', 'subscribe', 'x'], false],
    [['logging'], false],
    [['extensions', TASKS_EXTENSION], true],
    [['toString'], false],
  ])('%j: %s', (path, expected) => {
    expect(has(...path)).toBe(expected);
  });

  it('are returned in their original bytes', () => {
    expect(capability('extensions', TASKS_EXTENSION)).toBe('{"max": 1.0}');
    expect(capability('nothing')).toBeUndefined();
  });
});
