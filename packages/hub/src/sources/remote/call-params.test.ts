import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../../../../test/kit/any-text.ts';
import { toolRequest } from '../../../../../test/kit/hand-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { META_KEY, type Era } from '../../core/protocol.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { VERSION } from '../../version.ts';
import { ownParams, writeCallParams } from './call-params.ts';

const OWN = {
  [META_KEY.protocolVersion]: '2026-07-28',
  [META_KEY.clientInfo]: { name: 'pincer', version: VERSION },
  [META_KEY.clientCapabilities]: {},
};
/** What a modern client sends. */
const ENVELOPE =
  `"${META_KEY.protocolVersion}":"2026-07-28","${META_KEY.clientCapabilities}":{"elicitation":{}},` +
  `"${META_KEY.clientInfo}":{"name":"client"},"${META_KEY.logLevel}":"debug"`;

const write = (params: string, from: Era, to: Era): string =>
  writeCallParams(toolRequest({ params, era: from }), to, 'token-1');
const parsed = (params: string, from: Era, to: Era): unknown => parseBytes(write(params, from, to));

describe('writeCallParams', () => {
  verifies('004-11.2-route');

  const ARGS = '{ "n": 99999999999999999999, "f": 1.0, "s": "\\u0041" }';

  it('puts the tool’s own name in place and leaves everything else as it came', () => {
    expect(write(`{"arguments": ${ARGS} , "name" : "s__x", "other": 1.0}`, 'legacy', 'legacy')).toBe(
      `{"arguments":${ARGS},"name":"x","other":1.0}`,
    );
  });

  it('writes a name of any script as bytes', () => {
    const request = { ...toolRequest(), name: 'größe"\n' };
    expect(parseBytes(writeCallParams(request, 'legacy', 't'))).toMatchObject({ name: 'größe"\n' });
  });

  it('legacy to legacy: _meta stays, with a progress token of ours', () => {
    expect(
      write('{"name":"s__x","_meta":{"progressToken":7,"com.example/x": 1.0}}', 'legacy', 'legacy'),
    ).toBe('{"name":"x","_meta":{"progressToken":"token-1","com.example/x":1.0}}');
    expect(write('{"name":"s__x"}', 'legacy', 'legacy')).toBe('{"name":"x"}');
    expect(write('{"name":"s__x","_meta":{}}', 'legacy', 'legacy')).toBe('{"name":"x","_meta":{}}');
  });

  it('modern to modern: the caller’s envelope stays', () => {
    expect(write(`{"name":"s__x","_meta":{${ENVELOPE},"progressToken":"p"}}`, 'modern', 'modern')).toBe(
      `{"name":"x","_meta":{${ENVELOPE},"progressToken":"token-1"}}`,
    );
  });

  it('modern to legacy: the envelope goes, the rest of _meta stays', () => {
    expect(
      parsed(`{"name":"s__x","_meta":{${ENVELOPE},"progressToken":1,"k":2}}`, 'modern', 'legacy'),
    ).toEqual({
      name: 'x',
      _meta: { progressToken: 'token-1', k: 2 },
    });
    expect(write(`{"name":"s__x","_meta":{${ENVELOPE}}}`, 'modern', 'legacy')).not.toContain(
      'io.modelcontextprotocol',
    );
  });

  it('legacy to modern: an envelope of ours is added', () => {
    expect(parsed('{"name":"s__x","arguments":{}}', 'legacy', 'modern')).toEqual({
      name: 'x',
      arguments: {},
      _meta: OWN,
    });
    expect(parsed('{"name":"s__x","_meta":{"progressToken":1,"k":2}}', 'legacy', 'modern')).toEqual({
      name: 'x',
      _meta: { ...OWN, progressToken: 'token-1', k: 2 },
    });
  });

  it('no token is sent where the caller gave none', () => {
    for (const from of ['legacy', 'modern'] as const)
      for (const to of ['legacy', 'modern'] as const)
        expect(
          write(`{"name":"s__x","_meta":{${from === 'modern' ? ENVELOPE : ''}}}`, from, to),
        ).not.toContain('progressToken');
  });

  it('never lets the caller’s own token through, in any era', () => {
    const token = fc.oneof(fc.integer(), fc.string({ minLength: 5 }));
    const era = fc.constantFrom<Era[]>('legacy', 'modern');
    fc.assert(
      fc.property(token, era, era, (progressToken, from, to) => {
        const params = JSON.stringify({ name: 's__x', _meta: { progressToken } });
        const { _meta } = parsed(params, from, to) as { _meta: { progressToken: unknown } };
        return _meta.progressToken === 'token-1';
      }),
    );
  });

  it('keeps every argument, byte for byte', () => {
    const era = fc.constantFrom<Era[]>('legacy', 'modern');
    fc.assert(
      fc.property(anyJson(), era, era, (value, from, to) => {
        const args = JSON.stringify({ value });
        const written = Buffer.from(
          write(`{"name":"s__x","arguments":${args}}`, from, to),
          'latin1',
        ).toString();
        return written.includes(`"arguments":${args}`);
      }),
    );
  });
});

describe('ownParams', () => {
  it('is nothing in the legacy era and an envelope in the modern one', () => {
    expect(ownParams('legacy')).toBe('{}');
    expect(parseBytes(ownParams('modern'))).toEqual({ _meta: OWN });
  });
});
