import { describe, expect, it } from 'vitest';
import { buildArguments } from './arguments.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    yes: { type: 'boolean' },
    list: { type: 'array' },
    map: { type: 'object' },
    either: { type: ['string', 'null'] },
    any: {},
    level: { enum: ['low', 'high'] },
    ref: { $ref: '#/$defs/Size' },
    some: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
  $defs: { Size: { type: 'integer' } },
};
const build = (words: string[], inputSchema: unknown = schema): string =>
  buildArguments(words, inputSchema, 'x.tool');

describe('buildArguments', () => {
  it.each([
    ['text=5', '"text":"5"'],
    ['text={"a":1}', '"text":"{\\"a\\":1}"'],
    ['text=', '"text":""'],
    ['text=a=b', '"text":"a=b"'],
    ['count=5', '"count":5'],
    ['count=99999999999999999999', '"count":99999999999999999999'],
    ['ratio=1.50', '"ratio":1.50'],
    ['ratio=2', '"ratio":2'],
    ['yes=true', '"yes":true'],
    ['list=[1,"a"]', '"list":[1,"a"]'],
    ['map={"a":1}', '"map":{"a":1}'],
    ['either=null', '"either":"null"'],
    ['either:=null', '"either":null'],
    ['any=5', '"any":5'],
    ['any=five', '"any":"five"'],
    ['level=low', '"level":"low"'],
    ['ref=7', '"ref":7'],
    ['some=null', '"some":null'],
    ['text:="quoted"', '"text":"quoted"'],
  ])('%s', (word, member) => expect(build([word])).toBe(`{${member}}`));

  it.each([
    ['count=x', 'Argument "count" must be an integer, but "x" is not.'],
    ['count=1.5', 'Argument "count" must be an integer, but 1.5 is not.'],
    ['yes=ja', 'Argument "yes" must be a boolean, but "ja" is not.'],
    ['list={}', 'Argument "list" must be a JSON array, but {} is not.'],
    ['some="x"', 'Argument "some" must be a number or null, but "x" is not.'],
    ['text:=5', 'Argument "text" must be a string, but 5 is not.'],
    ['any:=oops', 'Argument "any" must be JSON, but "oops" is not.'],
    ['level=middle', 'Argument "level" must be one of low, high, not middle.'],
    ['=5', '"=5" is not key=value.'],
    ['text', '"text" is not key=value.'],
  ])('refuses %s', (word, message) => {
    expect(() => build([word])).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID', message }));
  });

  it('refuses an unknown key and suggests a similar one', () => {
    expect(() => build(['txt=a'])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('takes no argument "txt"'),
        hint: 'Did you mean text=…?',
      }),
    );
    expect(() => build(['level=hihg'])).toThrow(
      expect.objectContaining({ hint: 'Did you mean level=high?' }),
    );
    expect(() => build(['__proto__=a'])).toThrow('takes no argument');
  });

  it('accepts unknown keys if the tool does', () => {
    expect(build(['a=1', 'b=x'], { type: 'object' })).toBe('{"a":1,"b":"x"}');
    expect(build(['a=1'], null)).toBe('{"a":1}');
    const open = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } };
    expect(build(['b=1'], open)).toBe('{"b":"1"}');
  });

  it('refuses a missing key and a key given twice', () => {
    const required = { ...schema, required: ['text', 'count'] };
    expect(() => build([], required)).toThrow('x.tool needs arguments "text", "count".');
    expect(() => build(['count=1'], required)).toThrow('x.tool needs argument "text".');
    expect(() => build(['text=a', 'text=b'])).toThrow('given twice');
  });

  it('stops at a schema that refers to itself', () => {
    const loop = {
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }] } },
    };
    expect(build(['a=1'], loop)).toBe('{"a":1}');
  });
});

describe('buildArguments, unchecked', () => {
  const unchecked = (words: string[], inputSchema: unknown = schema): string =>
    buildArguments(words, inputSchema, 'x.tool', true);

  it.each([
    ['count=five', '"count":"five"'],
    ['count=5', '"count":5'],
    ['count="5"', '"count":"5"'],
    ['text=5', '"text":"5"'],
    ['level=medium', '"level":"medium"'],
    ['unknown=5', '"unknown":5'],
    ['unknown=five', '"unknown":"five"'],
    ['text:=5', '"text":5'],
  ])('sends %s as %s', (word, member) => {
    expect(unchecked([word])).toBe(`{${member}}`);
  });

  it('sends arguments that miss a required key or have a forbidden one', () => {
    const strict = { ...schema, required: ['text'], additionalProperties: false };
    expect(unchecked(['other=1'], strict)).toBe('{"other":1}');
    expect(unchecked([], strict)).toBe('{}');
  });

  it.each(['text', '=x', 'text:={'])('still refuses %j, which cannot become JSON', (word) => {
    expect(() => unchecked([word])).toThrow(/is not/);
  });
});
