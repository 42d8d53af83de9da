import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { masterKeyPath } from './vault-key-places.ts';
import { secretsFolder } from './vault-records.ts';
import { openVault } from './vault.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-vault-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const vault = (env: Record<string, string> = {}) => openVault(home, env);
const records = (): string[] =>
  readdirSync(secretsFolder(home)).map((file) => join(secretsFolder(home), file));
const unreadable = (message: RegExp, hint: RegExp): unknown =>
  expect.objectContaining({
    code: 'VAULT_UNREADABLE',
    message: expect.stringMatching(message) as string,
    hint: expect.stringMatching(hint) as string,
  });

describe('the vault', () => {
  it('returns stored secrets after it is opened again', () => {
    expect(vault().get('A')).toBeUndefined();
    expect(vault().set('A', 'first')).toBe(true);
    expect(vault().set('A', 'second')).toBe(false);
    expect(vault().set('a', 'another')).toBe(true);
    expect([vault().get('A'), vault().get('a'), vault().get('B')]).toEqual(['second', 'another', undefined]);
    expect(vault().unset('A')).toBe(true);
    expect(vault().unset('A')).toBe(false);
    expect(vault().get('A')).toBeUndefined();
  });

  it('stores any text', () => {
    const { get, set } = vault();
    fc.assert(
      fc.property(anyText(200), (text) => {
        set('ANY', text);
        return get('ANY') === text;
      }),
      { numRuns: 30 },
    );
  });

  it('lists names and dates, never values', () => {
    const at = (day: string) => ({ now: () => new Date(`2026-01-${day}T00:00:00Z`) });
    openVault(home, {}, at('01')).set('B', 's3cret');
    openVault(home, {}, at('02')).set('A', 'x');
    openVault(home, {}, at('03')).set('B', 's3cret2');
    const list = vault().list();
    expect(list).toMatchObject([
      { name: 'A', createdAt: '2026-01-02T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z' },
      { name: 'B', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-03T00:00:00.000Z' },
    ]);
    expect(JSON.stringify(list)).not.toContain('s3cret');
  });

  it('leaves nothing readable on disk, in files for their owner alone', () => {
    vault().set('A', 'a very secret text');
    for (const path of [...records(), masterKeyPath(home)]) {
      expect(readFileSync(path, 'latin1')).not.toContain('secret text');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(statSync(secretsFolder(home)).mode & 0o777).toBe(0o700);
  });

  it.each(['', 'a b', '../config', 'a-b', 'ä', 'x'.repeat(65)])('rejects the name %j', (name) => {
    expect(() => vault().set(name, 'x')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(vault().unset(name)).toBe(false);
  });

  it('removes nothing for a name with a path in it', () => {
    writeFileSync(join(home, 'config.json'), '{}');
    vault().set('A', 'x');
    expect(vault().unset('../config')).toBe(false);
    expect(readdirSync(home)).toContain('config.json');
  });
});

describe('a vault with changed files', () => {
  it('detects every flipped bit of a record', () => {
    vault().set('A', 'text');
    const [path] = records();
    const good = readFileSync(path!);
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(path!, changed);
      expect(() => vault().get('A'), `byte ${at}`).toThrow(
        expect.objectContaining({ code: 'VAULT_UNREADABLE' }),
      );
      expect(vault().list()[0]!.problem?.code).toBe('VAULT_UNREADABLE');
    }
    expect(() => vault().get('A')).toThrow(unreadable(/A is damaged/, /pincer secret unset A/));
    expect(vault().set('A', 'anew')).toBe(false);
    expect(vault().get('A')).toBe('anew');
  });

  it('does not accept one record in place of another', () => {
    vault().set('A', 'a');
    const [ofA] = records();
    const text = readFileSync(ofA!, 'utf8');
    vault().set('B', 'b');
    const ofB = records().find((path) => path !== ofA)!;
    writeFileSync(ofB, text);
    expect(() => vault().get('B')).toThrow(expect.objectContaining({ code: 'VAULT_UNREADABLE' }));
    writeFileSync(ofB, text.replace('"id": "A"', '"id": "B"'));
    expect(() => vault().get('B')).toThrow(expect.objectContaining({ code: 'VAULT_UNREADABLE' }));
  });

  it('removes an unreadable record by its file name', () => {
    vault().set('A', 'a');
    writeFileSync(records()[0]!, 'garbage');
    const [{ name, problem } = { name: '', problem: undefined }] = vault().list();
    expect(problem?.hint).toContain(name);
    expect(vault().unset(name)).toBe(true);
    expect(vault().list()).toEqual([]);
  });
});

describe("the vault's key", () => {
  it('is never created again while there are records', () => {
    vault().set('A', 'a');
    rmSync(masterKeyPath(home));
    const gone = unreadable(/key is gone.*master-key\.txt/, /PINCER_MASTER_KEY_FILE.*pincer secret unset/);
    expect(() => vault().get('A')).toThrow(gone);
    expect(() => vault().set('B', 'b')).toThrow(gone);
    expect(() => vault().set('A', 'b')).toThrow(gone);
    expect(readdirSync(home)).not.toContain('master-key.txt');
    expect(vault().list()).toMatchObject([{ name: 'A', problem: { code: 'VAULT_UNREADABLE' } }]);
    expect(vault().unset('A')).toBe(true);
    expect(vault().set('B', 'b')).toBe(true);
  });

  it('is distinguished from a damaged record', () => {
    vault().set('A', 'a');
    writeFileSync(masterKeyPath(home), Buffer.alloc(32, 7));
    const other = unreadable(
      /was sealed with another key than the one in .*master-key\.txt/,
      /Restore that key/,
    );
    expect(() => vault().get('A')).toThrow(other);
    expect(() => vault().set('B', 'b')).toThrow(other);
  });

  it.each([
    ['bytes', Buffer.alloc(32, 9)],
    ['base64', `${Buffer.alloc(32, 9).toString('base64')}\n`],
    ['base64url', Buffer.alloc(32, 9).toString('base64url')],
    ['hexadecimal digits', `${Buffer.alloc(32, 9).toString('hex').toUpperCase()}\r\n`],
  ])('may come from a named file, as %s', (_, content) => {
    const file = join(home, 'key');
    const env = { PINCER_MASTER_KEY_FILE: file };
    writeFileSync(file, content, { mode: 0o600 });
    vault(env).set('A', 'a');
    writeFileSync(file, Buffer.alloc(32, 9));
    expect(vault(env).get('A')).toBe('a');
    expect(readdirSync(home)).not.toContain('master-key.txt');
    expect(() => vault().get('A')).toThrow(expect.objectContaining({ code: 'VAULT_UNREADABLE' }));
  });

  it('in a named file must exist, be valid and be private', () => {
    const file = join(home, 'key');
    const env = { PINCER_MASTER_KEY_FILE: file };
    expect(() => vault(env).set('A', 'a')).toThrow(unreadable(/key, which does not exist/, /urandom/));
    writeFileSync(file, 'too short', { mode: 0o600 });
    expect(() => vault(env).set('A', 'a')).toThrow(unreadable(/is not a key of 32 bytes/, /base64/));
    writeFileSync(file, Buffer.alloc(32, 1));
    chmodSync(file, 0o644);
    expect(() => vault(env).set('A', 'a')).toThrow(unreadable(/open to others/, /chmod 600/));
    expect(readdirSync(home)).not.toContain('secrets');
  });

  it('is searched in the given places, in order', () => {
    const held = Buffer.alloc(32, 3);
    const made: string[] = [];
    const place = (name: string, key?: Buffer) => ({
      place: name,
      read: () => key,
      create: () => {
        made.push(name);
        return held;
      },
    });
    openVault(home, {}, { sources: [place('first'), place('second')] }).set('A', 'a');
    expect(made).toEqual(['first']);
    const { get, set } = openVault(home, {}, { sources: [place('first'), place('second', held)] });
    expect(get('A')).toBe('a');
    set('B', 'b');
    expect(made).toEqual(['first']);
  });

  it('is not read by a vault without secrets', () => {
    const env = { PINCER_MASTER_KEY_FILE: join(home, 'none') };
    expect(vault(env).get('A')).toBeUndefined();
    expect(vault(env).list()).toEqual([]);
    expect(vault(env).unset('A')).toBe(false);
  });
});
