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
  /** Settled when its processes and its profile are gone. */
  readonly gone: Promise<void>;
  /** Closes its pipe, and ends by force what is left of its group after a while. */
  end(): Promise<void>;
}

interface ChromiumParts {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removed after its end. */
  readonly profile: string;
  readonly ports: Pick<DevicePorts, 'log' | 'platform'>;
  readonly limits: BrowserLimits;
  /** Aborted when it is not wanted any more, also while it starts. */
  readonly signal: AbortSignal;
}

/** One command, but for scripts. */
const COMMAND_MS = 30_000;
/** Of one answer: a picture, a recording, the value of a script. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Of what it writes to stderr, which is logged where it does not start. */
const MAX_STDERR_BYTES = 4_096;
/** From the end of its pipe to the end of its processes by force. */
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
    // Its helpers end with it; one that does not is not left behind.
    killGroup(child, ports.platform);
    await removeRunFolder(profile).catch(() => undefined);
  });

  const chromium: Chromium = {
    pid: child.pid ?? 0,
    connection,
    gone,
    async end() {
      // Chromium ends when nobody can give it commands any more: so it also ends with a hub that was killed.
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
    // Without a pid it was never started; other errors, such as a signal that could not be sent, are not its end.
    child.on('error', () => child.pid === undefined && resolve());
  });

/** It leads a group of its own, in which all its processes are. */
function killGroup(child: ChildProcess, platform: NodeJS.Platform): void {
  if (child.pid === undefined) return;
  try {
    if (platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

export interface Launch {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Folder of its profile, empty before it starts. */
  readonly profile: string;
  /** `127.0.0.1:port` of the guard, through which alone its pages reach the network. */
  readonly guard: string;
  /** Absent: there is no window. */
  readonly window?: WindowPlace | undefined;
  readonly extraArgs: readonly string[];
}

/** What a window shows before its page does. */
const FIRST_PAGE = 'data:text/html,<title>Canvas</title>';

const ALWAYS: readonly string[] = [
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  // It talks to nobody on its own account.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-domain-reliability',
  '--disable-default-apps',
  '--disable-extensions',
  '--metrics-recording-only',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AutofillServerCommunication',
  // The keyring of the person is none of its business.
  '--password-store=basic',
  '--use-mock-keychain',
  // All that is not HTTP over the guard: QUIC and the UDP of WebRTC, which older versions know by its second name.
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Pages of agents ask the person for nothing; what a page may do it is granted.
  '--deny-permission-prompts',
];

export function launchFlags({ platform, isRoot, profile, guard, window, extraArgs }: Launch): string[] {
  return [
    ...ALWAYS,
    `--user-data-dir=${profile}`,
    `--proxy-server=http://${guard}`,
    // Without this Chromium goes to loopback addresses by itself.
    '--proxy-bypass-list=<-loopback>',
    // Chromium refuses to start with its sandbox as root; nowhere else is it switched off.
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

/** Settings of the person, and the session bus, behind which keyrings and portals are. */
const NOT_FOR_PAGES: ReadonlySet<string> = new Set(['DBUS_SESSION_BUS_ADDRESS', 'XDG_CONFIG_HOME']);

export function browserEnvironment(
  { env, platform }: Pick<DevicePorts, 'env' | 'platform'>,
  profile: string,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(desktopEnvironment(env)).filter(([name]) => !NOT_FOR_PAGES.has(name)),
  );
  // Certificates, caches and settings below the person's home are not for pages of agents. Elsewhere, programs need theirs.
  return platform === 'linux' ? { ...kept, HOME: profile } : kept;
}

/** Whether a window can be shown. */
export const hasDisplay = ({ env, platform }: Pick<DevicePorts, 'env' | 'platform'>): boolean =>
  platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
