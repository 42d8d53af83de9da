/** The keychain of this system, where there is one. Its library is loaded when it is asked for something. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Keyring from '@napi-rs/keyring';
import type { Environment } from '../lib/process.ts';

/** Each throws what the keychain says: that it is locked, gone, or was told not to. */
export interface Keychain {
  /** In words. */
  readonly name: string;
  /** Undefined: it has none of that name. */
  get(account: string): string | undefined;
  /** The same without holding up the process: a person may be asked to unlock it. */
  getLater(account: string): Promise<string | undefined>;
  set(account: string, text: string): void;
  delete(account: string): void;
}

/** `off`: Pincer neither asks the keychain nor writes to it. */
export const KEYCHAIN_VARIABLE = 'PINCER_KEYCHAIN';

const SERVICE = 'Pincer';
const BUS_VARIABLE = 'DBUS_SESSION_BUS_ADDRESS';
/** By default its library falls back to the kernel's keyring, which forgets everything at the next boot. */
const PINNED: Keyring.EntryOptions = { linux: { store: 'secret-service' } };

/** Undefined: there is none, or it is switched off. Whether it answers is found out when it is asked. */
export function findKeychain(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Keychain | undefined {
  if (env[KEYCHAIN_VARIABLE] === 'off') return undefined;
  // A keychain is a person's: whoever has no home on this machine has none.
  if (platform === 'darwin') return env['HOME'] ? openKeychain('the macOS keychain') : undefined;
  if (platform === 'win32')
    return env['USERPROFILE'] ? openKeychain('the Windows Credential Manager') : undefined;
  const bus = sessionBus(env);
  return bus === undefined ? undefined : openKeychain('the keychain (Secret Service)', bus);
}

/** Programs that no desktop has started are not told of the bus, and it is where systemd puts it all the same. */
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
  // The library looks for the bus here alone.
  if (bus !== undefined) process.env[BUS_VARIABLE] = bus;
  return createRequire(import.meta.url)('@napi-rs/keyring') as typeof Keyring;
}
