/** The Chromium process: its command line, its environment, and the two pipes for commands and answers. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { DevicePorts } from '../registry/ports.ts';
import { removeRunFolder } from '../programs/run-folder.ts';
import { desktopEnvironment } from '../programs/run-program.ts';
import { createConnection, type Connection } from './connection.ts';
import type { BrowserLimits } from './open-page.ts';
import { BrowserError, type WindowPlace } from './page.ts';
import { closePopups } from './targets.ts';

export interface Chromium {
  readonly pid: number;
  readonly connection: Connection;
  /** Resolves when its processes and its profile are gone. */
  readonly gone: Promise<void>;
  /** Closes its pipe, then kills its process group after a timeout. */
  end(): Promise<void>;
}

interface ChromiumParts {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removed after the process has ended. */
  readonly profile: string;
  readonly ports: Pick<DevicePorts, 'log' | 'platform'>;
  readonly limits: BrowserLimits;
  /** Aborted on `close`, also during the start. */
  readonly signal: AbortSignal;
}

/** Timeout of a command other than a script. */
const COMMAND_MS = 30_000;
/** Maximum size of an answer, such as a picture, a recording or the value of a script. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of stderr to keep, for the log if Chromium does not start. */
const MAX_STDERR_BYTES = 4_096;
/** Time between closing the pipe and killing the processes. */
const END_MS = 3_000;

export async function startChromium(parts: ChromiumParts): Promise<Chromium> {
  const { path, args, env, profile, ports, limits, signal } = parts;
  const child = spawn(path, args, {
    cwd: profile,
    env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, , stderr, commands, answers] = child.stdio as unknown as [
    null,
    null,
    Readable,
    Writable,
    Readable,
  ];
  const connection = createConnection({
    write: (text) => void commands.write(text),
    commandMs: COMMAND_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  let written = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-MAX_STDERR_BYTES);
  });
  for (const pipe of [stderr, commands, answers]) pipe.on('error', () => undefined);
  answers.on('data', (chunk: Buffer) => connection.receive(chunk));
  answers.on('close', () => connection.end('The browser has ended.'));
  const gone = exitOf(child).then(async () => {
    connection.end('The browser has ended.');
    // Kills helper processes that do not end with it.
    killGroup(child, ports.platform);
    await removeRunFolder(profile).catch(() => undefined);
  });

  const chromium: Chromium = {
    pid: child.pid ?? 0,
    connection,
    gone,
    async end() {
      // Chromium ends when its pipe closes, so it also ends with a hub that was killed.
      commands.end();
      answers.destroy();
      connection.end('The browser was closed.');
      const timer = setTimeout(() => killGroup(child, ports.platform), END_MS);
      await gone;
      clearTimeout(timer);
    },
  };
  const onAbort = (): void => void chromium.end();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await connection.send('Browser.getVersion', {}, { timeoutMs: limits.browserStartMs });
    await closePopups(connection);
    return chromium;
  } catch (cause) {
    await chromium.end();
    ports.log.warn('the browser did not start', { path, stderr: written });
    throw new BrowserError('start', 'The browser did not start.', cause);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const exitOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    // Without a pid the process did not start. Other errors, such as a failed signal, do not mean that it ended.
    child.on('error', () => child.pid === undefined && resolve());
  });

/** Chromium leads a process group that contains all its processes. */
function killGroup(child: ChildProcess, platform: NodeJS.Platform): void {
  if (child.pid === undefined) return;
  try {
    if (platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

export interface Launch {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Folder of its profile, initially empty. */
  readonly profile: string;
  /** `127.0.0.1:port` of the guard, through which pages reach the network. */
  readonly guard: string;
  /** Absent: headless. */
  readonly window?: WindowPlace | undefined;
  readonly extraArgs: readonly string[];
}

/** The first content of a window. */
const FIRST_PAGE = 'data:text/html,<title>Canvas</title>';

const ALWAYS: readonly string[] = [
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  // No network traffic of its own.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-domain-reliability',
  '--disable-default-apps',
  '--disable-extensions',
  '--metrics-recording-only',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AutofillServerCommunication',
  // No access to the person's keyring.
  '--password-store=basic',
  '--use-mock-keychain',
  // Disables what would bypass the guard: QUIC, and UDP of WebRTC (the second switch is for older versions).
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Pages never prompt the person. Permissions are granted by us.
  '--deny-permission-prompts',
];

export function launchFlags({ platform, isRoot, profile, guard, window, extraArgs }: Launch): string[] {
  return [
    ...ALWAYS,
    `--user-data-dir=${profile}`,
    `--proxy-server=http://${guard}`,
    // Otherwise Chromium bypasses the proxy for loopback addresses.
    '--proxy-bypass-list=<-loopback>',
    // Chromium does not start as root with its sandbox. It is only disabled there.
    ...(platform === 'linux' && isRoot ? ['--no-sandbox', '--test-type'] : []),
    ...(window === undefined ? ['--headless', '--hide-scrollbars', '--mute-audio'] : windowFlags(window)),
    ...(window !== undefined && platform === 'linux' ? ['--ozone-platform-hint=auto'] : []),
    ...extraArgs,
    ...(window === undefined ? ['about:blank'] : []),
  ];
}

const windowFlags = ({ width, height, x, y }: WindowPlace): string[] => [
  `--app=${FIRST_PAGE}`,
  `--window-size=${width},${height}`,
  ...(x === undefined || y === undefined ? [] : [`--window-position=${x},${y}`]),
];

/** The person's settings, and the session bus, which gives access to keyrings and portals. */
const NOT_FOR_PAGES: ReadonlySet<string> = new Set(['DBUS_SESSION_BUS_ADDRESS', 'XDG_CONFIG_HOME']);

export function browserEnvironment(
  { env, platform }: Pick<DevicePorts, 'env' | 'platform'>,
  profile: string,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(desktopEnvironment(env)).filter(([name]) => !NOT_FOR_PAGES.has(name)),
  );
  // On Linux, pages must not use certificates, caches and settings in the person's home. Other systems need their HOME.
  return platform === 'linux' ? { ...kept, HOME: profile } : kept;
}

/** Whether a window can be shown. */
export const hasDisplay = ({ env, platform }: Pick<DevicePorts, 'env' | 'platform'>): boolean =>
  platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
