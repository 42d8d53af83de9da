import { describe, expect, it } from 'vitest';
import { checkHeaderParams, headerValues, type AnnotatedTool } from './header-params.ts';
import { toByteText } from '../wire/byte-text.ts';

const TOOL: AnnotatedTool = {
  headerParams: [
    { path: ['region'], header: 'Mcp-Param-Region', type: 'string' },
    { path: ['limits', 'max'], header: 'Mcp-Param-Max', type: 'integer' },
    { path: ['all'], header: 'Mcp-Param-All', type: 'boolean' },
  ],
};
const PLAIN: AnnotatedTool = { headerParams: [] };

const valuesOf = (args: string | undefined): Record<string, string> =>
  Object.fromEntries(
    headerValues(TOOL, args === undefined ? undefined : toByteText(args)).map(({ header, value }) => [
      header.replace('Mcp-Param-', ''),
      value,
    ]),
  );

describe('headerValues', () => {
  it.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    ['{}', {}],
    [
      '{"region":"us-west1","limits":{"max":42},"all":false}',
      { Region: 'us-west1', Max: '42', All: 'false' },
    ],
    ['{"all":true,"other":1}', { All: 'true' }],
    ['{"region":null,"limits":{"max":null},"all":null}', {}],
    ['{"limits":null}', {}],
    ['{"limits":[42]}', {}],
    ['{"limits":"max"}', {}],
    ['{"region":{"a":1},"all":[true]}', {}],
    ['{"region":"Hello, 世界\\n\\u0041"}', { Region: 'Hello, 世界\nA' }],
    ['{"region":""}', { Region: '' }],
    ['{"region":" padded "}', { Region: ' padded ' }],
    ['{"region":7}', { Region: '7' }],
    ['{"r\\u0065gion":"a"}', { Region: 'a' }],
  ])('of %s are returned', (args, values) => {
    expect(valuesOf(args)).toEqual(values);
  });

  it.each([
    ['-7', '-7'],
    ['42.0', '42'],
    ['4.2e1', '42'],
    ['1E3', '1000'],
    ['-0', '0'],
    ['9007199254740993', '9007199254740993'],
    ['99999999999999999999', '99999999999999999999'],
    ['99999999999999999999.0', '99999999999999999999'],
    ['1e400', '1e400'],
    ['1.5', '1.5'],
  ])('sends the number %s as %s', (raw, value) => {
    expect(valuesOf(`{"limits":{"max": ${raw} }}`)).toEqual({ Max: value });
  });

  it('uses the last value of a duplicate key', () => {
    expect(valuesOf('{"region":"a","region":"b"}')).toEqual({ Region: 'b' });
    expect(valuesOf('{"region":"a","x":1,"x":2}')).toEqual({ Region: 'a' });
  });

  it('returns no header for a tool without annotations', () => {
    expect(headerValues(PLAIN, '{"region":"a"}')).toEqual([]);
  });
});

describe('checkHeaderParams', () => {
  const check = (args: string | undefined, headers: Record<string, string>): string | undefined =>
    checkHeaderParams(TOOL, args, (name) => headers[name]);

  it.each<[string | undefined, Record<string, string>]>([
    [undefined, {}],
    ['{}', {}],
    ['{"region":null}', {}],
    ['{"region":"a"}', { 'mcp-param-region': 'a' }],
    ['{"region":""}', { 'mcp-param-region': '' }],
    ['{"limits":{"max":42}}', { 'mcp-param-max': '42' }],
    ['{"limits":{"max":42.0}}', { 'mcp-param-max': '42' }],
    ['{"limits":{"max":42}}', { 'mcp-param-max': '42.0' }],
    ['{"limits":{"max":4.2e1}}', { 'mcp-param-max': '042' }],
    ['{"limits":{"max":0}}', { 'mcp-param-max': '-0' }],
    ['{"limits":{"max":99999999999999999999}}', { 'mcp-param-max': '99999999999999999999' }],
    ['{"limits":{"max":99999999999999999999}}', {}],
    ['{"limits":{"max":{}}}', {}],
    ['{"all":true}', { 'mcp-param-all': 'true' }],
    ['{"query":"x"}', { 'mcp-param-other': 'x' }],
  ])('accepts for %s the headers %j', (args, headers) => {
    expect(check(args, headers)).toBeUndefined();
  });

  it.each<[string | undefined, Record<string, string>, string]>([
    ['{"region":"a"}', {}, 'Mcp-Param-Region'],
    ['{"region":"a"}', { 'mcp-param-region': 'b' }, 'Mcp-Param-Region'],
    ['{"region":"a"}', { 'mcp-param-region': 'A' }, 'Mcp-Param-Region'],
    ['{"region":"42"}', { 'mcp-param-region': '42.0' }, 'Mcp-Param-Region'],
    [undefined, { 'mcp-param-region': 'a' }, 'Mcp-Param-Region'],
    ['{}', { 'mcp-param-region': '' }, 'Mcp-Param-Region'],
    ['{"region":null}', { 'mcp-param-region': 'null' }, 'Mcp-Param-Region'],
    ['{"region":"a","region":"b"}', { 'mcp-param-region': 'b' }, 'Mcp-Param-Region'],
    ['{"limits":{"max":42}}', {}, 'Mcp-Param-Max'],
    ['{"limits":{"max":42}}', { 'mcp-param-max': '43' }, 'Mcp-Param-Max'],
    ['{"limits":{"max":42}}', { 'mcp-param-max': '0x2a' }, 'Mcp-Param-Max'],
    ['{"limits":{"max":42}}', { 'mcp-param-max': ' 42' }, 'Mcp-Param-Max'],
    ['{"limits":{"max":42}}', { 'mcp-param-max': `42.${'0'.repeat(200)}` }, 'Mcp-Param-Max'],
    [
      '{"limits":{"max":99999999999999999999}}',
      { 'mcp-param-max': '100000000000000000000' },
      'Mcp-Param-Max',
    ],
    ['{"all":true}', { 'mcp-param-all': 'True' }, 'Mcp-Param-All'],
  ])('refuses for %s the headers %j', (args, headers, header) => {
    expect(check(args, headers)).toBe(header);
  });

  it('accepts any header for a tool without annotations', () => {
    expect(checkHeaderParams(PLAIN, '{"a":1,"a":2}', () => 'x')).toBeUndefined();
  });
});
