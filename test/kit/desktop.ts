/** A desktop that shows notifications: a display, a session bus, and dunst, which prints what it shows. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Desktop extends AsyncDisposable {
  /** The variables by which programs find the desktop. */
  env: Record<string, string>;
  /** Everything that dunst has printed. */
  shown(): string;
  /** Shows a notification from the test itself. */
  show(title: string): void;
}

export async function startDesktop(): Promise<Desktop> {
  const running: ChildProcess[] = [];
  await using started = new AsyncDisposableStack();
  started.defer(async () => void (await Promise.all(running.map(end))));
  const start = (command: string, args: string[], env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    });
    running.push(child);
    return child;
  };
  const display = await firstLine(
    start('Xvfb', ['-displayfd', '3', '-screen', '0', '640x480x24', '-nolisten', 'tcp']),
  );
  const bus = await firstLine(
    start('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3']),
  );
  const env = { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: bus };
  const dunst = start('dunst', ['-print'], env);
  let written = '';
  dunst.stdout!.setEncoding('utf8').on('data', (chunk: string) => (written += chunk));
  const rest = started.move();
  return {
    env,
    shown: () => written,
    show: (title) => void start('notify-send', [title], env),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** The line that a program writes to its fourth descriptor when it is ready. */
async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const gone = once(child, 'exit').then(() => {
    throw new Error(`${child.spawnfile} ended before it was ready`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), gone])) as [string];
  gone.catch(() => undefined);
  return line;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
