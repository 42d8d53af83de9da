/** The keychain of this system, if there is one. Its library is loaded on first use. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Keyring from '@napi-rs/keyring';
import type { Environment } from '../lib/process.ts';

/** All methods throw the keychain's error if it is locked, gone, or access was refused. */
export interface Keychain {
  /** For messages. */
  readonly name: string;
  /** Returns undefined if there is no such entry. */
  get(account: string): string | undefined;
  /** The same without blocking the process: the user may have to unlock the keychain. */
  getLater(account: string): Promise<string | undefined>;
  set(account: string, text: string): void;
  delete(account: string): void;
}

/** `off`: Pincer does not use the keychain. */
export const KEYCHAIN_VARIABLE = 'PINCER_KEYCHAIN';

const SERVICE = 'Pincer';
const BUS_VARIABLE = 'DBUS_SESSION_BUS_ADDRESS';
/** Without this option the library falls back to the kernel's keyring, which is lost at the next boot. */
const PINNED: Keyring.EntryOptions = { linux: { store: 'secret-service' } };

/** Returns undefined if there is none or it is switched off. Does not check whether it answers. */
export function findKeychain(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Keychain | undefined {
  if (env[KEYCHAIN_VARIABLE] === 'off') return undefined;
  // A keychain belongs to a user. A process without a home folder has none.
  if (platform === 'darwin') return env['HOME'] ? openKeychain('the macOS keychain') : undefined;
  if (platform === 'win32')
    return env['USERPROFILE'] ? openKeychain('the Windows Credential Manager') : undefined;
  const bus = sessionBus(env);
  return bus === undefined ? undefined : openKeychain('the keychain (Secret Service)', bus);
}

/** Programs that were not started by a desktop lack the variable, so the default path of systemd is tried. */
function sessionBus(env: Environment): string | undefined {
  if (env[BUS_VARIABLE]) return env[BUS_VARIABLE];
  const socket = env['XDG_RUNTIME_DIR'] ? join(env['XDG_RUNTIME_DIR'], 'bus') : undefined;
  return socket !== undefined && existsSync(socket) ? `unix:path=${socket}` : undefined;
}

function openKeychain(name: string, bus?: string): Keychain {
  const entry = (account: string): Keyring.Entry => new (load(bus).Entry)(SERVICE, account, PINNED);
  return {
    name,
    get: (account) => entry(account).getPassword() ?? undefined,
    async getLater(account) {
      const { AsyncEntry } = load(bus);
      return (await new AsyncEntry(SERVICE, account, PINNED).getPassword()) ?? undefined;
    },
    set: (account, text) => entry(account).setPassword(text),
    delete: (account) => void entry(account).deletePassword(),
  };
}

function load(bus: string | undefined): typeof Keyring {
  // The library looks for the bus only here.
  if (bus !== undefined) process.env[BUS_VARIABLE] = bus;
  return createRequire(import.meta.url)('@napi-rs/keyring') as typeof Keyring;
}
