import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { verifies } from '../../../../test/verifies.ts';
import { PincerError } from '../core/errors.ts';
import { referencesIn, resolveReferences } from './references.ts';

const ENV = { NAME: 'value', _X9: 'x', EMPTY: '', DOLLAR: '$NAME', ÄNAME: 'no' };

describe('resolveReferences', () => {
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
    verifies('004-14-env-substitution');
    expect(resolveReferences(text, { env: ENV }, 'a')).toBe(expected);
  });

  it.each([
    ['$MISSING', '$MISSING', 'MISSING'],
    ['y ${GONE} z', '${GONE}', 'GONE'],
    ['$NAME $MISSING', '$MISSING', 'MISSING'],
    ['$NAMES', '$NAMES', 'NAMES'],
  ])('reports the missing variable of %j and its setting', (text, reference, variable) => {
    verifies('004-14-env-substitution');
    const path = 'servers.github.apiKey';
    let thrown: unknown;
    try {
      resolveReferences(text, { env: ENV }, path);
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
  ])('resolves secrets: %j becomes %j', (text, expected) => {
    const vault: Record<string, string> = { KEY: 'k3y', TRICKY: '$NAME$secret:KEY' };
    const sources = { env: { ...ENV, secret: 'no secret' }, secret: (name: string) => vault[name] };
    expect(resolveReferences(text, sources, 'a')).toBe(expected);
  });

  it('reports a missing secret and its setting', () => {
    const sources = { env: { GITHUB: 'x' } };
    expect(() => resolveReferences('$secret:GITHUB', sources, 'servers.github.apiKey')).toThrow(
      expect.objectContaining({
        code: 'SECRET_UNKNOWN',
        message: 'servers.github.apiKey refers to $secret:GITHUB, but the vault has no secret GITHUB.',
        hint: 'Save it: pincer secret set GITHUB',
        data: { path: 'servers.github.apiKey', secret: 'GITHUB' },
      }),
    );
    expect(() => resolveReferences('x $secret: y', sources, 'a')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', data: { path: 'a' } }),
    );
  });

  it('returns any text unchanged if its dollar signs are doubled', () => {
    const text = anyText();
    const doubled = (value: string): string => value.replaceAll('$', '$$$$');
    fc.assert(fc.property(text, (value) => resolveReferences(doubled(value), { env: {} }, 'a') === value));
  });

  it('does not resolve references inside a value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => resolveReferences('$A', { env: { A: value } }, 'a') === value),
    );
  });
});

describe('referencesIn', () => {
  it('lists references with their settings', () => {
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
