import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { verifies } from '../../../../test/verifies.ts';
import { PincerError } from '../core/errors.ts';
import { referencesIn, resolveReferences } from './references.ts';

const ENV = { NAME: 'value', _X9: 'x', EMPTY: '', DOLLAR: '$NAME', ÄNAME: 'no' };

describe('resolveReferences', () => {
  verifies('004-14-env-substitution');

  it.each([
    ['$NAME', 'value'],
    ['${NAME}', 'value'],
    ['a $NAME b', 'a value b'],
    ['a${NAME}b', 'avalueb'],
    ['$NAME$NAME', 'valuevalue'],
    ['$NAME-$_X9.', 'value-x.'],
    ['${NAME}S', 'valueS'],
    ['[$EMPTY]', '[]'],
    ['$$', '$'],
    ['$$NAME', '$NAME'],
    ['$$$NAME', '$value'],
    ['$$$$', '$$'],
    ['$${NAME}', '${NAME}'],
    ['$DOLLAR', '$NAME'],
    ['no reference', 'no reference'],
    ['a $ b', 'a $ b'],
    ['$', '$'],
    ['cost: 5$', 'cost: 5$'],
    ['$-', '$-'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(resolveReferences(text, ENV)).toBe(expected);
  });

  it('goes into objects and arrays, and leaves keys and other values alone', () => {
    const value = { $NAME: '$NAME', list: ['$NAME', 7, null, { deep: '${NAME}' }], yes: true };
    expect(resolveReferences(value, ENV)).toEqual({
      $NAME: 'value',
      list: ['value', 7, null, { deep: 'value' }],
      yes: true,
    });
    expect(value.list[0]).toBe('$NAME');
  });

  it.each([
    [{ servers: { github: { apiKey: '$MISSING' } } }, 'servers.github.apiKey', '$MISSING', 'MISSING'],
    [{ servers: { a: { args: ['x', 'y ${GONE} z'] } } }, 'servers.a.args[1]', '${GONE}', 'GONE'],
    [{ a: '$NAME $MISSING' }, 'a', '$MISSING', 'MISSING'],
    [{ a: '$NAMES' }, 'a', '$NAMES', 'NAMES'],
  ])('%j names what is missing and where', (value, path, reference, variable) => {
    let thrown: unknown;
    try {
      resolveReferences(value, ENV);
    } catch (error) {
      thrown = error;
    }
    expect(PincerError.is(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'CONFIG_INVALID', data: { path, variable } });
    const { message, hint } = thrown as PincerError;
    expect(message).toBe(`${path} refers to ${reference}, but ${variable} is not set in the environment.`);
    expect(hint).toContain(variable);
  });

  it.each([
    ['$secret:KEY', 'k3y'],
    ['${secret:KEY}', 'k3y'],
    ['Bearer $secret:KEY', 'Bearer k3y'],
    ['a${secret:KEY}b', 'ak3yb'],
    ['$$secret:KEY', '$secret:KEY'],
    ['$secret:TRICKY', '$NAME$secret:KEY'],
    ['$secret', 'no secret'],
    ['$secret-KEY', 'no secret-KEY'],
  ])('of the vault: %j becomes %j', (text, expected) => {
    const vault: Record<string, string> = { KEY: 'k3y', TRICKY: '$NAME$secret:KEY' };
    expect(resolveReferences(text, { ...ENV, secret: 'no secret' }, (name) => vault[name])).toBe(expected);
  });

  it('names the setting and the secret that the vault does not have', () => {
    const config = { servers: { github: { apiKey: '$secret:GITHUB' } } };
    expect(() => resolveReferences(config, { GITHUB: 'x' })).toThrow(
      expect.objectContaining({
        code: 'SECRET_UNKNOWN',
        message: 'servers.github.apiKey refers to $secret:GITHUB, but the vault has no secret GITHUB.',
        hint: 'Run `pincer secret set GITHUB`.',
        data: { path: 'servers.github.apiKey', secret: 'GITHUB' },
      }),
    );
    expect(() => resolveReferences({ a: 'x $secret: y' }, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', data: { path: 'a' } }),
    );
  });

  it('leaves every text without a dollar what it is, and doubled dollars make any text', () => {
    const text = anyText();
    fc.assert(fc.property(text, (value) => resolveReferences(value.replaceAll('$', '$$$$'), {}) === value));
  });

  it('never takes a value for a reference again', () => {
    fc.assert(fc.property(fc.string(), (value) => resolveReferences('$A', { A: value }) === value));
  });

  it('keeps __proto__ a key like any other', () => {
    const value = JSON.parse('{"__proto__":{"a":"$NAME"}}') as object;
    const resolved = resolveReferences(value, ENV);
    expect(Object.keys(resolved)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
  });
});

describe('referencesIn', () => {
  it('says which settings refer to what', () => {
    const config = {
      servers: {
        a: { apiKey: '$secret:A', args: ['x', '${secret:B}$secret:A'] },
        b: { env: { X: '$$secret:NONE', Y: '$secret:', Z: '$ENV ${OTHER}$$NO' }, on: true },
      },
    };
    expect(referencesIn(config)).toEqual([
      { kind: 'secret', name: 'A', path: 'servers.a.apiKey' },
      { kind: 'secret', name: 'B', path: 'servers.a.args[1]' },
      { kind: 'secret', name: 'A', path: 'servers.a.args[1]' },
      { kind: 'variable', name: 'ENV', path: 'servers.b.env.Z' },
      { kind: 'variable', name: 'OTHER', path: 'servers.b.env.Z' },
    ]);
    expect(referencesIn(null)).toEqual([]);
  });
});
