/** Starts children without a shell or an inherited environment, each as the leader of its own process group. */
import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import type { Child, ChildEvents, Spawn, SpawnOptions } from '../core/ports.ts';
import { SPAWN_LIMITS, type SpawnLimits } from './end-processes.ts';
import { couldNotStart, startObstacle } from './exit-reason.ts';
import type { Journal } from './journal.ts';
import { launchable } from './launcher.ts';
import type { ChildFolders } from './neutral-folder.ts';
import { supervise } from './supervise.ts';

const ignore = (): void => {};

function neverStarted(failure: Promise<unknown>, options: SpawnOptions, events: ChildEvents): Child {
  const reported = failure.then((error) => events.onExit(couldNotStart(startObstacle(error, options))));
  return { pid: 0, write: () => false, unsent: 0, pause: ignore, resume: ignore, stop: () => reported };
}

const startProcess = ({ command, args, cwd, env }: SpawnOptions) =>
  spawn(command, args, {
    cwd,
    env,
    shell: false,
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

export function createSpawn(
  journal: Journal,
  folders: ChildFolders,
  limits: SpawnLimits = SPAWN_LIMITS,
): Spawn {
  function start(options: SpawnOptions, events: ChildEvents): Child {
    let child: ReturnType<typeof startProcess>;
    try {
      const launch = process.platform === 'win32' ? launchable(options) : options;
      if (typeof launch === 'string') return neverStarted(Promise.resolve(launch), options, events);
      child = startProcess(launch);
    } catch (error) {
      // Some failures are thrown, others come as an event. The caller sees all of them as an event.
      return neverStarted(Promise.resolve(error), options, events);
    }
    const { pid } = child;
    if (pid === undefined) {
      const failure = new Promise((resolve) => child.once('error', resolve));
      return neverStarted(failure, options, events);
    }
    return supervise(child, { pid, command: options.command, events, journal, limits });
  }

  return (options, events) => {
    const obstacle = pathObstacle(options);
    if (obstacle !== undefined) return neverStarted(Promise.resolve(obstacle), options, events);
    if (options.cwd !== undefined) return start(options, events);
    let folder: string;
    let env: SpawnOptions['env'];
    try {
      folder = folders.make();
      env = options.npmRunsIn === undefined ? {} : folders.variablesForNpm(options.npmRunsIn);
    } catch (error) {
      return neverStarted(Promise.resolve(error), options, events);
    }
    const onExit = (reason: string): void => {
      events.onExit(reason);
      void folders.remove(folder, options.command);
    };
    return start({ ...options, env: { ...options.env, ...env }, cwd: folder }, { ...events, onExit });
  };
}

/** Returns why a relative path cannot be used: it would depend on the folder that the hub runs in. */
function pathObstacle({ command, cwd }: SpawnOptions): string | undefined {
  if (cwd !== undefined && !isAbsolute(cwd)) return `its folder "${cwd}" is not an absolute path`;
  if (cwd === undefined && /[\\/]/.test(command) && !isAbsolute(command))
    return `"${command}" is a relative path, and no "cwd" is configured`;
  return undefined;
}

export interface Children {
  readonly spawn: Spawn;
  /** Resolves when nothing of any child is left, including children that are already being ended. */
  endAll(): Promise<void>;
}

/** Tracks every child until nothing of it is left, so that the hub leaves none behind when it ends. */
export function trackChildren(start: Spawn): Children {
  const children = new Set<Child>();
  return {
    spawn: (options, events) => {
      const child = start(options, {
        onStdout: (chunk) => events.onStdout(chunk),
        onStderr: (chunk) => events.onStderr(chunk),
        onDrain: () => events.onDrain(),
        onExit(reason) {
          events.onExit(reason);
          // The child itself is gone, but processes that it started may still run.
          queueMicrotask(() => void child.stop().finally(() => children.delete(child)));
        },
      });
      children.add(child);
      return child;
    },
    async endAll() {
      await Promise.allSettled([...children].map((child) => child.stop()));
    },
  };
}
