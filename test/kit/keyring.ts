/** A login session with a keychain: its own session bus and GNOME's keyring, with files in one folder. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually } from './processes.ts';

export interface Session extends AsyncDisposable {
  /** The variables by which programs find the session. */
  env: Record<string, string>;
}

/** `unlocked` is the state after a login. If `locked`, the keyring prompts for a password that no person enters. */
export async function startSession(folder: string, state: 'unlocked' | 'locked'): Promise<Session> {
  const running: ChildProcess[] = [];
  await using started = new AsyncDisposableStack();
  started.defer(async () => void (await Promise.all(running.map(end))));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_RUNTIME_DIR: folder,
  };
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env,
  });
  running.push(bus);
  const address = await firstLine(bus.stdio[3] as Readable, bus);
  const own = { ...env, DBUS_SESSION_BUS_ADDRESS: address };
  const args = ['--foreground', '--components=secrets', ...(state === 'unlocked' ? ['--unlock'] : [])];
  const keyring = spawn('gnome-keyring-daemon', args, { stdio: ['pipe', 'ignore', 'ignore'], env: own });
  running.push(keyring);
  keyring.stdin.end('the password of the person');
  if (!(await eventually(() => isOnBus(own)))) throw new Error('the keyring did not start');
  const rest = started.move();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address, HOME: folder, PINCER_KEYCHAIN: '' },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

function isOnBus(env: Record<string, string>): boolean {
  const question = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'];
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus'];
  return spawnSync('dbus-send', [...args, ...question], { env, encoding: 'utf8' }).stdout.includes('true');
}

/** The line that a program writes when it is ready. */
async function firstLine(stream: Readable, child: ChildProcess): Promise<string> {
  const gone = once(child, 'exit').then(() => {
    throw new Error(`${child.spawnfile} ended before it was ready`);
  });
  const [line] = (await Promise.race([once(createInterface({ input: stream }), 'line'), gone])) as [string];
  gone.catch(() => undefined);
  return line;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
