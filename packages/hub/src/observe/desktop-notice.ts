/** Notices on the desktop of the person who runs the hub: at most one per second, without blocking anything. */
import { spawn, type ChildProcess } from 'node:child_process';
import { type Environment, safeFolder } from '../lib/process.ts';
import type { Log } from '../core/ports.ts';
import { desktopProgram, type Notice } from '../core/desktop-program.ts';

export interface DesktopNoticeParts {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly log: Pick<Log, 'debug'>;
  /** The notice shown instead of several. */
  readonly several: (count: number) => Notice;
  readonly timing?: typeof TIMING;
}

export interface DesktopNotice {
  show(notice: Notice): void;
  close(): void;
}

/** A program that runs longer than `maxRunMs` is ended. */
const TIMING = { gapMs: 1_000, maxRunMs: 5_000 };

export function createDesktopNotice(parts: DesktopNoticeParts): DesktopNotice {
  const { platform, env, log, several, timing = TIMING } = parts;
  let waiting: Notice[] = [];
  let running: ChildProcess | undefined;
  let gap: NodeJS.Timeout | undefined;
  let isClosed = false;

  function next(): void {
    const [first, ...others] = waiting;
    if (first === undefined || running !== undefined || gap !== undefined || isClosed) return;
    waiting = [];
    gap = setTimeout(() => {
      gap = undefined;
      next();
    }, timing.gapMs).unref();
    run(others.length === 0 ? first : several(others.length + 1));
  }

  function run(notice: Notice): void {
    const program = desktopProgram(notice, platform, env);
    if (program === undefined) return log.debug('no desktop to show a notice on');
    const { command, args } = program;
    const child = spawn(command, args, {
      cwd: safeFolder(),
      stdio: 'ignore',
      env: program.env,
      timeout: timing.maxRunMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    running = child;
    const end = (why: object): void => {
      if (running !== child) return;
      running = undefined;
      if (!('code' in why) || why.code !== 0) log.debug('a notice could not be shown', { command, ...why });
      next();
    };
    child.once('error', (error) => end({ error }));
    child.once('exit', (code, signal) => end({ code, signal }));
    child.unref();
  }

  return {
    show(notice) {
      waiting.push(notice);
      try {
        next();
      } catch (error) {
        log.debug('a notice could not be shown', { error });
      }
    },
    close() {
      isClosed = true;
      clearTimeout(gap);
      running?.kill('SIGKILL');
    },
  };
}
