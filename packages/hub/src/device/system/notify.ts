/** `system.notify`: a notification on the desktop of this machine. */
import { z } from 'zod';
import { desktopProgram, type Notice, type Urgency } from '../../core/desktop-program.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { endedWell, failureOfProgram } from '../programs/run-program.ts';
import { flag, optionalText, text } from '../registry/arguments.ts';
import { type Command, type Readiness, CommandFailure } from '../registry/capability.ts';

interface NotifyCommands {
  readonly commands: { readonly 'system.notify': Command<typeof INPUT> };
  readiness(): Readiness[];
}

const NAME = 'system.notify';
const MAX_RUN_MS = 10_000;
const MAX_OUTPUT_BYTES = 16 * 1024;

const INPUT = z.object({
  title: text('', 'First line. "OpenClaw" if absent or blank and another text is given.'),
  body: text('', 'Text below the title. Markup is not interpreted.'),
  subtitle: optionalText('Text between title and body.'),
  sound: flag(true, 'Whether the notification may make a sound.'),
  priority: text('active', 'passive makes no sound.', ['passive', 'active', 'timeSensitive']),
});
const OUTPUT = z.object({ sent: z.literal(true), ok: z.literal(true) });

const NO_PROGRAM = 'Install notify-send (Debian and Ubuntu: libnotify-bin, Fedora: libnotify).';
const NO_DESKTOP =
  'Pincer runs outside of a desktop session. Start it in one, or set DBUS_SESSION_BUS_ADDRESS to the bus of one.';
const NO_DAEMON =
  'No program shows notifications on the session bus of Pincer. Start a desktop, or install a notification daemon such as dunst.';
const NO_SESSION = 'Notifications need a signed-in desktop session: start Pincer in one.';

export function notifyCommands(ports: DevicePorts): NotifyCommands {
  const { platform, env, run } = ports;

  /** What is missing. Undefined if notifications can be tried. */
  function missing(): { reason: string; hint: string } | undefined {
    if (platform === 'darwin' || platform === 'win32') return undefined;
    if (findProgram('notify-send', env, platform) === undefined)
      return { reason: 'notify-send is not installed', hint: NO_PROGRAM };
    if (desktopProgram({ title: NAME, body: '' }, platform, env) === undefined)
      return { reason: 'there is no desktop session', hint: NO_DESKTOP };
    return undefined;
  }

  const notify: Command<typeof INPUT> = {
    description:
      'Shows a notification on the desktop of this machine. Arguments: title, body, subtitle, sound (true), priority (passive, active, timeSensitive). Returns {sent: true, ok: true} after the desktop has accepted it. Without a desktop it fails and names what is missing.',
    input: INPUT,
    output: OUTPUT,
    example: { title: 'Tea', body: 'It is ready.' },
    annotations: { title: 'Show a notification', readOnlyHint: false, destructiveHint: false },
    async run(args, { signal }) {
      const notice = noticeOf(args);
      if (notice === undefined)
        throw new CommandFailure('INVALID_REQUEST: empty notification', {
          code: 'INVALID_REQUEST',
          hint: 'Send a title or a body.',
          notExecuted: true,
        });
      const lack = missing();
      const program = desktopProgram(notice, platform, env);
      if (lack !== undefined || program === undefined)
        throw new CommandFailure('Notifications not available', {
          code: 'NOTIFICATIONS_UNAVAILABLE',
          hint: lack?.hint ?? NO_DESKTOP,
          notExecuted: true,
        });
      const command = findProgram(program.command, env, platform) ?? program.command;
      const end = await run({
        ...program,
        command,
        signal,
        timeoutMs: MAX_RUN_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        whenFull: 'drop',
      });
      if (endedWell(end)) return { sent: true, ok: true };
      throw failureOfProgram(command, end, {
        text: 'Notification failed',
        code: 'NOTIFICATIONS_UNAVAILABLE',
        hint: platform === 'darwin' || platform === 'win32' ? NO_SESSION : NO_DAEMON,
      });
    },
  };

  return {
    commands: { [NAME]: notify },
    readiness() {
      const lack = missing();
      if (lack !== undefined) return [{ commands: [NAME], available: false, ...lack }];
      return [{ commands: [NAME], available: true, backend: BACKEND.get(platform) ?? 'notify-send' }];
    },
  };
}

const BACKEND: ReadonlyMap<NodeJS.Platform, string> = new Map([
  ['darwin', 'osascript'],
  ['win32', 'PowerShell (toast)'],
]);

interface NotifyArguments {
  readonly title: string;
  readonly body: string;
  readonly subtitle?: string | undefined;
  readonly sound: boolean;
  readonly priority?: string | undefined;
}

/** The title of a notification that has none. */
const TITLE = 'OpenClaw';
const MAX_TITLE = 256;
const MAX_BODY = 4_096;

const URGENCY: ReadonlyMap<string | undefined, Urgency> = new Map([
  ['passive', 'low'],
  ['active', 'normal'],
  ['timeSensitive', 'critical'],
]);

/** Undefined if it has no text. */
function noticeOf({ title, body, subtitle = '', sound, priority }: NotifyArguments): Notice | undefined {
  const shown = {
    title: cleanText(title, MAX_TITLE),
    subtitle: cleanText(subtitle, MAX_TITLE),
    body: cleanText(body, MAX_BODY),
  };
  if (Object.values(shown).every((each) => each === '')) return undefined;
  return {
    ...shown,
    title: shown.title || TITLE,
    urgency: URGENCY.get(priority) ?? 'normal',
    // Passive notifications make no sound.
    isSilent: !sound || priority === 'passive',
  };
}

/** Arguments and variables cannot contain NUL. */
function cleanText(value: string, max: number): string {
  const clean = value.replaceAll('\0', '\u{FFFD}').trim();
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).toWellFormed()}…`;
}
