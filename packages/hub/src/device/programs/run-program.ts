/** Runs programs of the desktop to their end: their environment, and their failures for callers and for the log. */
import type { ProgramEnd, ProgramRun } from '../../core/program.ts';
import { type Environment, wholeSearchPath, withWholePaths } from '../../lib/process.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { cancelled, CommandFailure, type FailureDetails } from '../registry/capability.ts';

/** Fits one uncompressed 8K picture. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
const PICTURE_TIMEOUT_MS = 15_000;

interface MediaRun extends Pick<ProgramRun, 'command' | 'args' | 'signal' | 'input' | 'onStderr'> {
  readonly timeoutMs?: number;
}

/** Runs a program and returns its output. Rejects with ProgramFailure if it fails, with CommandFailure if it was cancelled. */
export async function runMediaProgram(
  { run, env }: Pick<DevicePorts, 'run' | 'env'>,
  { timeoutMs = PICTURE_TIMEOUT_MS, ...what }: MediaRun,
): Promise<ProgramEnd> {
  const end = await run({
    ...what,
    env: desktopEnvironment(env),
    timeoutMs,
    maxBytes: MAX_OUTPUT_BYTES,
    whenFull: 'end',
  });
  if (what.signal.aborted || end.kind === 'aborted') throw cancelled();
  if (!endedWell(end)) throw new ProgramFailure(what.command, end);
  return end;
}

/** Only the end of stderr is kept. */
const MAX_STDERR_CHARS = 2_000;

export const endedWell = ({ kind, exitCode }: Pick<ProgramEnd, 'kind' | 'exitCode'>): boolean =>
  kind === 'exited' && exitCode === 0;

/** For the log only: stderr may name devices and paths. */
export class ProgramFailure extends Error {
  readonly end: ProgramEnd;

  constructor(command: string, end: ProgramEnd) {
    const stderr = end.stderr.toString('utf8').trim().slice(-MAX_STDERR_CHARS);
    super(`${command} ${end.reason}${stderr === '' ? '' : `: ${stderr}`}`);
    this.name = 'ProgramFailure';
    this.end = end;
  }
}

interface FailureTexts extends Pick<FailureDetails, 'hint' | 'code'> {
  readonly text: string;
  /** The text if the caller has cancelled. */
  readonly cancelled?: string | undefined;
}

export function failureOfProgram(
  command: string,
  end: ProgramEnd,
  { text, cancelled: cancelledText, hint, code }: FailureTexts,
): CommandFailure {
  const cause = new ProgramFailure(command, end);
  return end.kind === 'aborted'
    ? cancelled({ cause }, cancelledText)
    : new CommandFailure(text, { hint, code, cause });
}

/** Splits arguments that contain no blanks. */
export const words = (text: string): readonly string[] => text.split(' ');

const NAMES: ReadonlySet<string> = new Set([
  // User, search path and locale.
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  // Display, session bus and sound.
  'DISPLAY',
  'XAUTHORITY',
  'WAYLAND_DISPLAY',
  'SWAYSOCK',
  'HYPRLAND_INSTANCE_SIGNATURE',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'XDG_CONFIG_HOME',
  'XDG_DATA_DIRS',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'PULSE_SERVER',
  'PIPEWIRE_REMOTE',
  // Search paths of libraries.
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  // Windows does not start most programs without these.
  'SYSTEMROOT',
  'WINDIR',
  'SYSTEMDRIVE',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PSMODULEPATH',
]);

/** The variables that programs of the desktop get. Ignores the case of names, as Windows does. */
export const desktopEnvironment = (
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && NAMES.has(name.toUpperCase())
        ? [[name, wholeValue(name.toUpperCase(), value, platform)]]
        : [],
    ),
  );

/** Removes relative folders from search paths. */
function wholeValue(name: string, value: string, platform: NodeJS.Platform): string {
  if (name === 'PATH') return wholeSearchPath(value, platform);
  return LIBRARY_PATHS.has(name) ? withWholePaths(value, platform) : value;
}

const LIBRARY_PATHS: ReadonlySet<string> = new Set(['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']);
