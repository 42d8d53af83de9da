import { describe, expect, it } from 'vitest';
import { toByteText, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, readMembers, writeMembers } from '../core/wire/members.ts';
import { unwrapCall } from './meta-tools.ts';

/** The unwrapped `params`, or the mistake. */
function unwrap(text: string): ByteText | { mistake: string } {
  const params = readMembers(toByteText(text));
  const unwrapped = unwrapCall(params, readMembers(findMember(params, 'arguments') ?? '{}'));
  return 'params' in unwrapped ? writeMembers(unwrapped.params) : unwrapped;
}

describe('call_tool', () => {
  it('becomes a call of the named tool with unchanged bytes', () => {
    const args = '{"n": 99999999999999999999, "f":1.0,"a":{"b":"gr\\u00f6ße"},"a":2}';
    expect(
      unwrap(
        `{"name":"call_tool","x":1.0,"arguments":{"arguments": ${args} ,"name":"s__t\\u0061"},"_meta":{"progressToken":1.0},"requestState":"s"}`,
      ),
    ).toBe(
      toByteText(
        `{"name":"s__t\\u0061","x":1.0,"arguments":${args},"_meta":{"progressToken":1.0},"requestState":"s"}`,
      ),
    );
  });

  it('works without arguments', () => {
    expect(unwrap('{"name":"call_tool","arguments":{"name":"x"}}')).toBe('{"name":"x"}');
  });

  it('accepts arguments that a model wrote as text', () => {
    const text = JSON.stringify(' {"n": 99999999999999999999,\n"ö":"\\"" } ');
    expect(unwrap(`{"name":"call_tool","arguments":{"name":"x","arguments":${text}}}`)).toBe(
      toByteText('{"name":"x","arguments":{"n": 99999999999999999999,\n"ö":"\\"" }}'),
    );
  });

  it.each<[string, RegExp]>([
    ['{}', /"name" must be a string/],
    ['{"name":7}', /"name" must be a string/],
    ['{"name":"x","arguments":7}', /"arguments" must be an object/],
    ['{"name":"x","arguments":null}', /"arguments" must be an object/],
    ['{"name":"x","arguments":[]}', /"arguments" must be an object/],
    ['{"name":"x","arguments":"7"}', /"arguments" must be an object/],
    ['{"name":"x","arguments":"{no"}', /"arguments" must be an object/],
    ['{"name":"x","path":"y"}', /"path" belongs inside "arguments"/],
  ])('reports the mistake in %s', (given, mistake) => {
    expect(unwrap(`{"name":"call_tool","arguments":${given}}`)).toEqual({
      mistake: expect.stringMatching(mistake) as string,
    });
  });
});
