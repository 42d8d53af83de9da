/** The program that shows a desktop notice. Texts are separate arguments or variables: never an option, never a script. */
import type { Environment } from '../lib/process.ts';
import { powershell } from './powershell.ts';

export interface Notice {
  /** Not empty: a desktop refuses a notice without a title. */
  readonly title: string;
  readonly body: string;
  /** Shown between title and body. */
  readonly subtitle?: string | undefined;
  /** Default: normal. */
  readonly urgency?: Urgency | undefined;
  readonly isSilent?: boolean | undefined;
}

export type Urgency = 'low' | 'normal' | 'critical';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Returns undefined if this process has no desktop. */
export function desktopProgram(
  notice: Notice,
  platform: NodeJS.Platform,
  env: Environment,
): Program | undefined {
  if (platform === 'darwin') return appleNotice(notice, env);
  if (platform === 'win32') return windowsNotice(notice, env);
  return DESKTOP.some((name) => env[name]) ? linuxNotice(notice, env) : undefined;
}

/** Any of these shows that there is a desktop. */
const DESKTOP = ['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'];
const UNIX = [...DESKTOP, 'PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'XAUTHORITY', 'XDG_RUNTIME_DIR'];
const WINDOWS = ['SystemRoot', 'windir', 'PATH', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];

const linuxNotice = ({ title, subtitle, body, urgency, isSilent }: Notice, env: Environment): Program => ({
  command: 'notify-send',
  args: [
    '--app-name=Pincer',
    ...(urgency === undefined ? [] : [`--urgency=${urgency}`]),
    // Desktop Notifications Specification 1.2, "Hints".
    ...(isSilent === true ? ['--hint=boolean:suppress-sound:true'] : []),
    '--',
    title,
    asShown(subtitle ? `${subtitle}\n${body}` : body),
  ],
  env: pick(env, UNIX),
});

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\\': '\\\\' };

/**
 * Desktops render links and images from markup in a body (Desktop Notifications Specification 1.2, "Markup").
 * notify-send also expands `\074` and `\n` before the desktop sees them.
 */
const asShown = (text: string): string => text.replaceAll(/[&<>\\]/g, (char) => MARKUP[char]!);

/** The first argument is fixed, so osascript does not parse the others as options. */
const appleNotice = ({ title, subtitle = '', body, isSilent }: Notice, env: Environment): Program => ({
  command: '/usr/bin/osascript',
  args: [...(isSilent === false ? APPLE_SOUND : APPLE_SILENT), 'notice', title, subtitle, body],
  env: pick(env, UNIX),
});

const appleScript = (sound: string): readonly string[] =>
  [
    'on run argv',
    `display notification (item 4 of argv) with title (item 2 of argv) subtitle (item 3 of argv)${sound}`,
    'end run',
  ].flatMap((line) => ['-e', line]);
const APPLE_SILENT = appleScript('');
const APPLE_SOUND = appleScript(' sound name "default"');

const windowsNotice = (
  { title, subtitle = '', body, urgency, isSilent }: Notice,
  env: Environment,
): Program => ({
  ...powershell(TOAST, env),
  env: {
    ...pick(env, WINDOWS),
    PINCER_NOTICE_TITLE: title,
    // Windows has no empty variables.
    ...(subtitle === '' ? {} : { PINCER_NOTICE_SUBTITLE: subtitle }),
    ...(body === '' ? {} : { PINCER_NOTICE_BODY: body }),
    ...(isSilent === true ? { PINCER_NOTICE_SILENT: '1' } : {}),
    ...(urgency === 'critical' ? { PINCER_NOTICE_URGENT: '1' } : {}),
  },
});

/** Uses PowerShell's own identity: a program without a registered identity cannot show a toast. */
const TOAST = String.raw`$ErrorActionPreference = 'Stop'
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$lines = @($env:PINCER_NOTICE_TITLE, $env:PINCER_NOTICE_SUBTITLE, $env:PINCER_NOTICE_BODY) | Where-Object { $_ }
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText04')
$texts = $xml.GetElementsByTagName('text')
for ($at = 0; $at -lt @($lines).Count; $at++) { [void]$texts.Item($at).AppendChild($xml.CreateTextNode(@($lines)[$at])) }
if ($env:PINCER_NOTICE_SILENT) {
  $audio = $xml.CreateElement('audio')
  $audio.SetAttribute('silent', 'true')
  [void]$xml.DocumentElement.AppendChild($audio)
}
$id = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
if ($env:PINCER_NOTICE_URGENT) { $toast.Priority = [Windows.UI.Notifications.ToastNotificationPriority]::High }
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($id).Show($toast)`;

const pick = (env: Environment, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
