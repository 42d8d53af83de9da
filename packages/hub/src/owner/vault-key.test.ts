import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findKeychain, type Keychain } from './keychain.ts';
import { keyPlacePath, masterKeyPath } from './vault-key-places.ts';
import { findKey, findKeyLater, keySources, openKeys } from './vault-key.ts';
import { openVault } from './vault.ts';
import { verifies } from '../../../../test/verifies.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-key-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A keychain in memory that can also lock or forget. */
function memoryKeychain() {
  const entries = new Map<string, string>();
  let mood: 'open' | 'locked' | 'forgetful' = 'open';
  const answer = <T>(value: T): T => {
    if (mood === 'locked') throw new Error('unlock prompt was dismissed');
    return value;
  };
  const keychain: Keychain = {
    name: 'the keychain',
    get: (account) => answer(entries.get(account)),
    getLater: async (account) => answer(entries.get(account)),
    set: (account, text) => answer(mood === 'forgetful' || entries.set(account, text)),
    delete: (account) => answer(entries.delete(account)),
  };
  return { keychain, entries, be: (next: typeof mood) => void (mood = next) };
}

const vaultWith = (keychain: Keychain | undefined) =>
  openVault(home, {}, { sources: keySources(home, {}, keychain) });

const unreadable = (message: RegExp, hint: RegExp): unknown =>
  expect.objectContaining({
    code: 'VAULT_UNREADABLE',
    message: expect.stringMatching(message) as string,
    hint: expect.stringMatching(hint) as string,
  });

describe("the vault's key in a keychain", () => {
  it('is stored there rather than in a file, and found again', async () => {
    const { keychain, entries } = memoryKeychain();
    vaultWith(keychain).set('A', 'a');
    expect(entries.size).toBe(1);
    expect(existsSync(masterKeyPath(home))).toBe(false);
    const [key] = entries.values();
    expect(readFileSync(keyPlacePath(home), 'utf8')).not.toContain(key);
    expect(vaultWith(keychain).get('A')).toBe('a');
    expect(findKey(keySources(home, {}, keychain))?.place).toBe('the keychain');
    expect((await findKeyLater(keySources(home, {}, keychain)))?.key.toString('base64url')).toBe(key);
  });

  it('is read once per process, for any number of secrets', () => {
    const { keychain } = memoryKeychain();
    vaultWith(keychain).set('A', 'a');
    vaultWith(keychain).set('B', 'b');
    let asked = 0;
    const vault = vaultWith({ ...keychain, get: (account) => (asked++, keychain.get(account)) });
    expect([vault.get('A'), vault.get('B'), vault.list().length]).toEqual(['a', 'b', 2]);
    expect(asked).toBe(1);
  });

  it.each(['locked', 'forgetful'] as const)('goes into a file if the keychain is %s', (mood) => {
    verifies('004-5.3-keychain');
    const { keychain, entries, be } = memoryKeychain();
    be(mood);
    vaultWith(keychain).set('A', 'a');
    expect(entries.size).toBe(0);
    expect(existsSync(keyPlacePath(home))).toBe(false);
    be('open');
    // A key that began in a file stays there.
    vaultWith(keychain).set('B', 'b');
    expect(entries.size).toBe(0);
    expect(vaultWith(undefined).get('B')).toBe('b');
  });

  it('is not replaced when the keychain is locked, missing or has lost it', async () => {
    const { keychain, entries, be } = memoryKeychain();
    vaultWith(keychain).set('A', 'a');
    be('locked');
    const locked = unreadable(
      /is in the keychain, which reports: unlock prompt/,
      /Unlock it.*MASTER_KEY_FILE/,
    );
    expect(() => vaultWith(keychain).get('A')).toThrow(locked);
    expect(() => vaultWith(keychain).set('B', 'b')).toThrow(locked);
    await expect(openKeys(home, {}, keySources(home, {}, keychain)).heldLater()).rejects.toEqual(locked);
    be('open');
    const absent = unreadable(/is in the keychain, but no keychain is available/, /PINCER_MASTER_KEY_FILE/);
    expect(() => vaultWith(undefined).get('A')).toThrow(absent);
    expect(() => vaultWith(undefined).set('B', 'b')).toThrow(absent);
    entries.clear();
    const emptied = unreadable(/gone from the keychain: there is no entry/, /are lost/);
    expect(() => vaultWith(keychain).get('A')).toThrow(emptied);
    expect(() => vaultWith(keychain).set('B', 'b')).toThrow(emptied);
    expect(existsSync(masterKeyPath(home))).toBe(false);
  });

  it('is not requested repeatedly by a running process', async () => {
    const { keychain, be } = memoryKeychain();
    vaultWith(keychain).set('A', 'a');
    be('locked');
    let asked = 0;
    const counting = { ...keychain, getLater: (account: string) => (asked++, keychain.getLater(account)) };
    const keys = openKeys(home, {}, keySources(home, {}, counting));
    for (let turn = 0; turn < 3; turn++)
      await expect(keys.heldLater()).rejects.toMatchObject({ code: 'VAULT_UNREADABLE' });
    expect(asked).toBe(1);
  });

  it('stays required even after all secrets were removed', () => {
    const { keychain } = memoryKeychain();
    vaultWith(keychain).set('A', 'a');
    vaultWith(keychain).unset('A');
    expect(() => vaultWith(undefined).set('A', 'a')).toThrow(unreadable(/no keychain is available/, /./));
  });

  it('stays single if two processes create one at the same time', () => {
    const { keychain, entries } = memoryKeychain();
    let isFirst = true;
    // The other process finishes between this one's write and its record of the place.
    const slow: Keychain = {
      ...keychain,
      set(account, text) {
        keychain.set(account, text);
        if (isFirst) {
          isFirst = false;
          vaultWith(keychain).set('B', 'b');
        }
      },
    };
    vaultWith(slow).set('A', 'a');
    expect(entries.size).toBe(1);
    expect([vaultWith(keychain).get('A'), vaultWith(keychain).get('B')]).toEqual(['a', 'b']);
  });

  it('reports a damaged file with the place', () => {
    writeFileSync(keyPlacePath(home), '{}');
    expect(() => vaultWith(memoryKeychain().keychain).set('A', 'a')).toThrow(
      unreadable(/names the place of the vault's key/, /backup/),
    );
  });

  it('is ignored if a file is named', () => {
    const { keychain, entries } = memoryKeychain();
    const file = join(home, 'key');
    writeFileSync(file, Buffer.alloc(32, 9), { mode: 0o600 });
    const env = { PINCER_MASTER_KEY_FILE: file };
    openVault(home, env, { sources: keySources(home, env, keychain) }).set('A', 'a');
    expect(entries.size).toBe(0);
  });
});

describe('findKeychain', () => {
  it('returns undefined without a session bus on Linux, without a home elsewhere, and if switched off', () => {
    verifies('004-5.3-keychain');
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/none' };
    expect(findKeychain({}, 'linux')).toBeUndefined();
    expect(findKeychain({ XDG_RUNTIME_DIR: home }, 'linux')).toBeUndefined();
    expect(findKeychain(bus, 'linux')?.name).toContain('Secret Service');
    expect(findKeychain({ ...bus, PINCER_KEYCHAIN: 'off' }, 'linux')).toBeUndefined();
    expect(findKeychain({}, 'darwin')).toBeUndefined();
    expect(findKeychain({ HOME: home }, 'darwin')?.name).toContain('macOS');
    expect(findKeychain({ HOME: home, PINCER_KEYCHAIN: 'off' }, 'darwin')).toBeUndefined();
    expect(findKeychain({}, 'win32')).toBeUndefined();
    expect(findKeychain({ USERPROFILE: home }, 'win32')?.name).toContain('Windows');
  });

  it("finds systemd's session bus", () => {
    mkdirSync(join(home, 'bus'));
    expect(findKeychain({ XDG_RUNTIME_DIR: home }, 'linux')).toBeDefined();
  });
});
