import { describe, expect, it } from 'vitest';
import { renderCallLine, renderSignature } from './tools.ts';

const tool = (inputSchema: unknown, outputSchema?: unknown) => ({
  server: 'x',
  name: 'make',
  definition: { inputSchema, outputSchema },
});
const signature = (properties: object, required: string[] = []): string =>
  renderSignature(tool({ type: 'object', properties, required }));

describe('renderSignature', () => {
  it.each<[object, string]>([
    [{ a: { type: 'string' } }, 'make(a?: string)'],
    [{ a: { type: 'integer' }, b: { type: 'boolean' } }, 'make(a?: number, b?: boolean)'],
    [{ a: { type: ['string', 'null'] } }, 'make(a?: string | null)'],
    [{ a: { enum: ['x', 1] } }, 'make(a?: "x" | 1)'],
    [{ a: { type: 'array', items: { type: 'string' } } }, 'make(a?: string[])'],
    [{ a: { type: 'array', items: { enum: ['x', 'y'] } } }, 'make(a?: ("x" | "y")[])'],
    [
      { a: { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] } },
      'make(a?: { b: number })',
    ],
    [{ a: { type: 'object', additionalProperties: { type: 'number' } } }, 'make(a?: Record<string, number>)'],
    [{ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, 'make(a?: string | number)'],
    [{ 'a-b': {} }, 'make("a-b"?: unknown)'],
    [{}, 'make()'],
  ])('%j', (properties, text) => expect(signature(properties)).toBe(text));

  it('marks required parameters, follows references and shows the return type', () => {
    const input = {
      properties: { a: { $ref: '#/$defs/A' } },
      required: ['a'],
      $defs: { A: { type: 'string' } },
    };
    const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(renderSignature(tool(input, output))).toBe('make(a: string): { n: number }');
    expect(renderSignature(tool(undefined))).toBe('make()');
  });

  it('breaks a long signature into lines and escapes control characters', () => {
    const names = Array.from({ length: 9 }, (_, index) => `parameter_${index}`);
    const lines = signature(Object.fromEntries(names.map((name) => [name, { type: 'string' }]))).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 2)).toEqual(['make(', '  parameter_0?: string,']);
    expect(signature({ 'a\u001b': {} })).not.toContain('\u001b');
  });

  it('shows every parameter quickly, even for a very wide schema', () => {
    const wide = { anyOf: Array.from({ length: 3_000 }, () => ({ $ref: '#/$defs/wide' })) };
    const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/wide' }]));
    expect(renderSignature(tool({ properties, $defs: { wide } })).split('\n')).toHaveLength(102);
  });
});

describe('renderCallLine', () => {
  const line = (properties: object): string =>
    renderCallLine(tool({ type: 'object', properties, required: Object.keys(properties) }));

  it.each<[object, string]>([
    [{}, 'pincer call x.make'],
    [{ a: { type: 'string' } }, 'pincer call x.make a=text'],
    [{ a: { type: 'integer', minimum: 5 } }, 'pincer call x.make a=5'],
    [{ a: { type: 'boolean' } }, 'pincer call x.make a=true'],
    [{ a: { type: 'array' }, b: { type: 'object' } }, "pincer call x.make 'a=[]' 'b={}'"],
    [{ a: { enum: ['low', 'high'] } }, 'pincer call x.make a=low'],
    [{ a: { type: 'string', default: "it's" } }, String.raw`pincer call x.make 'a=it'\''s'`],
  ])('%j', (properties, text) => expect(line(properties)).toBe(text));

  it("uses the tool's own example", () => {
    const example = { command: ['git', 'status'], cwd: '/a b' };
    const definition = { inputSchema: { required: ['command'] }, _meta: { 'pincer/example': example } };
    expect(renderCallLine({ server: 'device', name: 'system.run', definition })).toBe(
      `pincer call device.system.run 'command:=["git","status"]' 'cwd=/a b'`,
    );
    const odd = { ...definition, _meta: { 'pincer/example': 'none' } };
    expect(renderCallLine({ server: 'x', name: 'make', definition: odd })).toBe(
      'pincer call x.make command=text',
    );
  });

  it('is fast, even for a very wide schema', () => {
    const wide = { anyOf: Array.from({ length: 100 }, () => ({ $ref: '#/$defs/wide' })) };
    const schema = { properties: { a: { $ref: '#/$defs/wide' } }, required: ['a'], $defs: { wide } };
    expect(renderCallLine(tool(schema))).toBe('pincer call x.make a=null');
  });
});
