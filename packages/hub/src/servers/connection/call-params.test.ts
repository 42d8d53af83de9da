import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../../../../test/kit/any-text.ts';
import { toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { META_KEY, type Era } from '../../core/protocol.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { VERSION } from '../../lib/version.ts';
import { ownParams, writeCallParams } from './call-params.ts';

const OWN = {
  [META_KEY.protocolVersion]: '2026-07-28',
  [META_KEY.clientInfo]: { name: 'pincer', version: VERSION },
  [META_KEY.clientCapabilities]: {},
};
/** The params of a modern client. */
const ENVELOPE =
  `"${META_KEY.protocolVersion}":"2026-07-28","${META_KEY.clientCapabilities}":{"elicitation":{}},` +
  `"${META_KEY.clientInfo}":{"name":"client"},"${META_KEY.logLevel}":"debug"`;

const write = (params: string, from: Era, to: Era): string =>
  writeCallParams(toolRequest({ params, era: from }), to, 'token-1');
const parsed = (params: string, from: Era, to: Era): unknown => parseBytes(write(params, from, to));

describe('writeCallParams', () => {
  const ARGS = '{ "n": 99999999999999999999, "f": 1.0, "s": "\\u0041" }';

  it('leaves everything but the envelope unchanged', () => {
    verifies('004-11.2-route');
    expect(write(`{"arguments": ${ARGS} , "name" : "x", "other": 1.0}`, 'legacy', 'legacy')).toBe(
      `{"arguments":${ARGS},"name":"x","other":1.0}`,
    );
  });

  it('modern to legacy: removes the members of rounds', () => {
    expect(
      write('{"name":"x","inputResponses":{"a":{}},"requestState":"s","n": 1.0}', 'modern', 'legacy'),
    ).toBe('{"name":"x","n":1.0}');
  });

  it.each<[Era, Era]>([
    ['modern', 'modern'],
    ['legacy', 'modern'],
    ['legacy', 'legacy'],
  ])('%s to %s: keeps the members of rounds', (from, to) => {
    const params = write('{"name":"x","inputResponses":{"a": 1.0},"requestState":"s"}', from, to);
    expect(params).toContain('"inputResponses":{"a": 1.0},"requestState":"s"');
  });

  it('legacy to legacy: keeps _meta, with the hub’s progress token', () => {
    expect(write('{"name":"x","_meta":{"progressToken":7,"com.example/x": 1.0}}', 'legacy', 'legacy')).toBe(
      '{"name":"x","_meta":{"progressToken":"token-1","com.example/x":1.0}}',
    );
    expect(write('{"name":"x"}', 'legacy', 'legacy')).toBe('{"name":"x"}');
    expect(write('{"name":"x","_meta":{}}', 'legacy', 'legacy')).toBe('{"name":"x","_meta":{}}');
  });

  it('modern to modern: keeps the caller’s envelope', () => {
    expect(write(`{"name":"x","_meta":{${ENVELOPE},"progressToken":"p"}}`, 'modern', 'modern')).toBe(
      `{"name":"x","_meta":{${ENVELOPE},"progressToken":"token-1"}}`,
    );
  });

  it('modern to legacy: removes the envelope and keeps the rest of _meta', () => {
    expect(parsed(`{"name":"x","_meta":{${ENVELOPE},"progressToken":1,"k":2}}`, 'modern', 'legacy')).toEqual({
      name: 'x',
      _meta: { progressToken: 'token-1', k: 2 },
    });
    expect(write(`{"name":"x","_meta":{${ENVELOPE}}}`, 'modern', 'legacy')).not.toContain(
      'io.modelcontextprotocol',
    );
  });

  it('legacy to modern: adds the hub’s envelope', () => {
    expect(parsed('{"name":"x","arguments":{}}', 'legacy', 'modern')).toEqual({
      name: 'x',
      arguments: {},
      _meta: OWN,
    });
    expect(parsed('{"name":"x","_meta":{"progressToken":1,"k":2}}', 'legacy', 'modern')).toEqual({
      name: 'x',
      _meta: { ...OWN, progressToken: 'token-1', k: 2 },
    });
  });

  it('legacy to modern: fills the envelope from the client’s initialize', () => {
    const request = toolRequest({
      params: '{"name":"x"}',
      capabilities: '{"sampling":{}, "n":1.0}',
      logLevel: 'debug',
    });
    const client = { ...request.client, info: '{"name":"editor", "version":"1.0"}' };
    const params = writeCallParams({ ...request, client }, 'modern', 'token-1');
    expect(params).toContain(`"${META_KEY.clientCapabilities}":{"sampling":{}, "n":1.0}`);
    expect(params).toContain(`"${META_KEY.clientInfo}":{"name":"editor", "version":"1.0"}`);
    expect(parseBytes(params)).toEqual({
      name: 'x',
      _meta: {
        [META_KEY.protocolVersion]: '2026-07-28',
        [META_KEY.clientInfo]: { name: 'editor', version: '1.0' },
        [META_KEY.clientCapabilities]: { sampling: {}, n: 1 },
        [META_KEY.logLevel]: 'debug',
      },
    });
  });

  it('legacy to modern: replaces an envelope that the client put in', () => {
    expect(
      parsed(
        `{"name":"x","_meta":{"${META_KEY.clientCapabilities}":{"sampling":{}},"${META_KEY.protocolVersion}":"1"}}`,
        'legacy',
        'modern',
      ),
    ).toEqual({ name: 'x', _meta: OWN });
  });

  it('legacy to legacy: removes an envelope that the client put in', () => {
    expect(write(`{"name":"x","_meta":{${ENVELOPE},"k":1}}`, 'legacy', 'legacy')).toBe(
      '{"name":"x","_meta":{"k":1}}',
    );
  });

  it('sends no token if the caller gave none', () => {
    for (const from of ['legacy', 'modern'] as const)
      for (const to of ['legacy', 'modern'] as const)
        expect(write(`{"name":"x","_meta":{${from === 'modern' ? ENVELOPE : ''}}}`, from, to)).not.toContain(
          'progressToken',
        );
  });

  it('never passes on the caller’s own token, in any era', () => {
    const token = fc.oneof(fc.integer(), fc.string({ minLength: 5 }));
    const era = fc.constantFrom<Era[]>('legacy', 'modern');
    fc.assert(
      fc.property(token, era, era, (progressToken, from, to) => {
        const params = JSON.stringify({ name: 'x', _meta: { progressToken } });
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
        const written = Buffer.from(write(`{"name":"x","arguments":${args}}`, from, to), 'latin1').toString();
        return written.includes(`"arguments":${args}`);
      }),
    );
  });
});

describe('ownParams', () => {
  it('is empty in the legacy era and an envelope in the modern one', () => {
    expect(ownParams('legacy')).toBe('{}');
    expect(parseBytes(ownParams('modern'))).toEqual({ _meta: OWN });
  });
});
