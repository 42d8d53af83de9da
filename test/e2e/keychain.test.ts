/** The vault's key in a real keychain, and on a machine without one. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGrantFiles } from '../../packages/hub/src/owner/grant-files.ts';
import { createGrants } from '../../packages/hub/src/servers/oauth/grants/grant-store.ts';
import { openCliHome, type CliHome, type Ran } from '../kit/cli.ts';
import { startGuardedServer } from '../kit/guarded-server.ts';
import { startHub } from '../kit/hub.ts';
import { startSession } from '../kit/keyring.ts';
import { textOf } from '../kit/messages.ts';
import { TokenServer } from '../kit/token-server.ts';
import { verifies } from '../verifies.ts';

let person = '';
let home: CliHome;
beforeEach(() => {
  person = mkdtempSync(join(tmpdir(), 'pincer-keyring-'));
  home = openCliHome();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(person, { recursive: true, force: true });
});

const setSecret = (name: string, env: Record<string, string>): Promise<Ran> =>
  home.run(['secret', 'set', name], { env, input: 'the-secret' });
const keyFile = (): string => join(home.path, 'master-key.txt');
const vaultLine = async (env: Record<string, string>): Promise<string> =>
  (await home.run(['doctor'], { env })).stdout.split('\n').find((line) => line.includes('in the vault')) ??
  '';

describe('a keychain', () => {
  it('is the only place of the key, also while it is locked or gone', async () => {
    verifies('004-5.3-keychain', '004-14-keychain');
    {
      await using session = await startSession(person, 'unlocked');
      expect(await setSecret('TOKEN', session.env)).toMatchObject({ code: 0 });
      expect(existsSync(keyFile())).toBe(false);
      expect(await vaultLine(session.env)).toMatch(/1 secret in the vault; its key is in the keychain/);
      await using issuer = await TokenServer.start();
      const mayEnter = (shown = ''): boolean => shown === 'Bearer the-secret' || issuer.accepts(shown);
      await using server = await startGuardedServer(mayEnter, { tools: ['echo'] });
      const grants = createGrants(openGrantFiles(home.path, session.env));
      await grants.save(issuer.grant('signed', server.url));
      await using hub = await startHub({
        home: home.path,
        servers: { keyed: { url: server.url, apiKey: '$secret:TOKEN' }, signed: { url: server.url } },
        env: session.env,
      });
      expect(textOf(await hub.call('keyed__echo', { message: 'm' }))).toBe('m');
      expect(textOf(await hub.call('signed__echo', { message: 'm' }))).toBe('m');
      const { stdout } = await home.run(['doctor'], { env: session.env });
      expect(stdout).toMatch(/1 sign-in saved; the key is in the keychain/);
      await hub.stop();
    }
    {
      await using session = await startSession(person, 'locked');
      const locked = await setSecret('OTHER', session.env);
      expect(locked.code).toBe(1);
      expect(locked.stderr).toMatch(/key is in the keychain.*which reports/s);
      expect(locked.stderr).toMatch(/Unlock it/);
      const { document } = await home.json(['secret', 'list'], { env: session.env });
      expect(document).toMatchObject({ secrets: [{ name: 'TOKEN', state: 'unreadable' }] });
    }
    for (const env of [{ DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '', PINCER_KEYCHAIN: '' }, OFF]) {
      const gone = await setSecret('OTHER', env);
      expect(gone.code).toBe(1);
      expect(gone.stderr).toMatch(/no keychain is available/);
      expect(gone.stderr).toMatch(/PINCER_MASTER_KEY_FILE/);
    }
    expect(existsSync(keyFile())).toBe(false);
    // A copy of the folder, on any machine, reveals no token.
    await expect(createGrants(openGrantFiles(home.path, OFF)).find('signed', 'shared')).rejects.toMatchObject(
      {
        code: 'VAULT_UNREADABLE',
      },
    );
    // Works again when the keychain is back.
    await using session = await startSession(person, 'unlocked');
    expect(await setSecret('OTHER', session.env)).toMatchObject({ code: 0 });
    const { document } = await home.json(['secret', 'list'], { env: session.env });
    expect(document).toMatchObject({ secrets: [{ state: 'ok' }, { state: 'ok' }] });
  });

  it('that is locked from the start stores no key, so a file does', async () => {
    await using session = await startSession(person, 'locked');
    expect(await setSecret('TOKEN', session.env)).toMatchObject({ code: 0 });
    expect(readFileSync(keyFile(), 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect(await vaultLine(session.env)).toContain(keyFile());
  });
});

const OFF = { PINCER_KEYCHAIN: 'off' };

describe('a machine without a keychain', () => {
  it('stores the key in a file, and reports it', async () => {
    const none = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '', PINCER_KEYCHAIN: '' };
    expect(await setSecret('TOKEN', none)).toMatchObject({ code: 0 });
    expect(existsSync(join(home.path, 'master-key.json'))).toBe(false);
    expect(await vaultLine(none)).toContain(keyFile());
  });

  it('also with a disabled keychain', async () => {
    await using session = await startSession(person, 'unlocked');
    expect(await setSecret('TOKEN', { ...session.env, ...OFF })).toMatchObject({ code: 0 });
    expect(existsSync(keyFile())).toBe(true);
  });
});
