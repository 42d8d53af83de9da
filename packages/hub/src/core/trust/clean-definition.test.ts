import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMembersText } from '../../../../../test/kit/any-json-text.ts';
import { aboutOf } from '../../../../../test/kit/offer.ts';
import { cleanAbout, cleanDefinition, CUT_MARK } from './clean-definition.ts';
import { jsonBytes, parseBytes, toByteText } from '../wire/byte-text.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const MAX = 1_000;
const clean = (raw: string, max = MAX): string => cleanDefinition(toByteText(raw), max);
const HIDDEN = 'a\u200bb';

describe('cleanDefinition', () => {
  it('cleans descriptions and titles at any depth', () => {
    const definition = {
      name: 'x',
      title: HIDDEN,
      description: HIDDEN,
      inputSchema: {
        type: 'object',
        title: HIDDEN,
        properties: {
          default: { type: 'string', description: HIDDEN },
          description: { type: 'string', description: HIDDEN },
          list: { items: { anyOf: [{ title: HIDDEN }, { $ref: '#/$defs/title' }] } },
        },
        $defs: { title: { description: HIDDEN }, enum: { enum: ['x'], description: HIDDEN } },
      },
      outputSchema: { description: HIDDEN },
      annotations: { title: HIDDEN },
      arguments: [{ name: 'y', description: HIDDEN }],
    };
    expect(parseBytes(clean(JSON.stringify(definition)))).toEqual(
      JSON.parse(JSON.stringify(definition).replaceAll(HIDDEN, 'ab')),
    );
  });

  it('leaves everything else unchanged, including values that programs compare', () => {
    const rest =
      `"name": "${HIDDEN}" ,\n "n":99999999999999999999,"x-${HIDDEN}":"${HIDDEN}","inputSchema":{"type":"object",` +
      `"default":{"title":"${HIDDEN}"},"properties":{"${HIDDEN}":{"const":{"description":"${HIDDEN}"},` +
      `"enum":["${HIDDEN}",{"title":"${HIDDEN}"}],"examples":[{"title":"${HIDDEN}"}]}}},"é":"\\u00e9\\/"`;
    expect(clean(`{${rest},"description":"${HIDDEN}"}`)).toBe(toByteText(`{${rest},"description":"ab"}`));
  });

  it('finds the member in any spelling and every time it occurs', () => {
    expect(clean(`{"d\\u0065scription":"${HIDDEN}","description":"\\u200bc","description":"\\ud800d"}`)).toBe(
      '{"d\\u0065scription":"ab","description":"c","description":"d"}',
    );
  });

  it('finds every spelling of a control character', () => {
    for (const spelled of ['\u007f', '\\u007f', '\\b', '\\u0008', '\\u001B[0m'])
      expect(clean(`{"description":"a${spelled}b"}`)).toBe('{"description":"ab"}');
    for (const spelled of ['\\f', '\\r', '\\r\\n', '\\u000B'])
      expect(clean(`{"description":"a${spelled}b"}`)).toBe('{"description":"a\\nb"}');
  });

  it('keeps texts without hidden characters unchanged', () => {
    for (const raw of [
      '{"name":"x","description":"a < b\\n\\tc"}',
      '{"description":"a \\u003c b \\u00e9 é \\/"}',
      `{"description":"${'d'.repeat(MAX)}"}`,
    ])
      expect(clean(raw)).toBe(toByteText(raw));
  });

  it('cuts each long text and nothing else', () => {
    const long = 'd'.repeat(50);
    expect(
      parseBytes(clean(JSON.stringify({ name: long, description: long, x: { title: long } }), 30)),
    ).toEqual({
      name: long,
      description: 'd'.repeat(30 - CUT_MARK.length) + CUT_MARK,
      x: { title: 'd'.repeat(30 - CUT_MARK.length) + CUT_MARK },
    });
  });

  it('is idempotent and changes only texts', () => {
    fc.assert(
      fc.property(anyMembersText.map(toByteText), fc.integer({ min: 1, max: 12 }), (raw, max) => {
        const once = cleanDefinition(raw, max);
        expect(cleanDefinition(once, max)).toBe(once);
        expect(() => JSON.parse(once)).not.toThrow();
        const before = piecesOf(raw);
        const after = piecesOf(once);
        expect(after).toHaveLength(before.length);
        for (const [index, piece] of before.entries()) {
          if (after[index] === piece) continue;
          const key = before.slice(0, index).findLast((each) => each.trim() !== '' && each.trim() !== ':');
          expect(['description', 'title']).toContain(JSON.parse(key ?? '""'));
        }
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });
});

/** Strings and the text between them. */
const piecesOf = (json: string): string[] => json.split(/("(?:[^"\\]|\\.)*")/);

describe('cleanAbout', () => {
  it("cleans the instructions and the server's name", () => {
    const about = aboutOf({ tools: {} }, `Use it.\u{e0041}\u001b[31m`);
    expect(cleanAbout(about, MAX).instructions).toBe('Use it.');
    expect(cleanAbout(about, MAX).has('tools')).toBe(true);
    const plain = aboutOf({ tools: {} }, 'Use it.');
    expect(cleanAbout(plain, MAX)).toBe(plain);
    expect(cleanAbout(aboutOf({}, 'i'.repeat(2_000)), MAX).instructions).toHaveLength(MAX);
  });

  it('ignores a nested `instructions` member', () => {
    const about = aboutOf({ x: { instructions: HIDDEN } });
    expect(cleanAbout(about, MAX).capability('x', 'instructions')).toBe(jsonBytes(HIDDEN));
  });
});
