/** What shows a notice on a desktop. Texts are arguments or variables of their own: never an option, never a script. */
import type { Environment } from '../core/environment.ts';

export interface Notice {
  /** Begins with a letter of ours, so that no program takes it for an option. */
  readonly title: string;
  readonly body: string;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined: nobody sits in front of this process. */
export function desktopProgram(
  { title, body }: Notice,
  platform: NodeJS.Platform,
  env: Environment,
): Program | undefined {
  if (platform === 'darwin')
    return { command: '/usr/bin/osascript', args: [...APPLE_SCRIPT, title, body], env: pick(env, UNIX) };
  if (platform === 'win32')
    return {
      command: `${env['SystemRoot'] ?? String.raw`C:\Windows`}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
      args: ['-NoProfile', '-NonInteractive', '-EncodedCommand', TOAST],
      env: { ...pick(env, WINDOWS), PINCER_NOTICE_TITLE: title, PINCER_NOTICE_BODY: body },
    };
  if (!DESKTOP.some((name) => env[name])) return undefined;
  return {
    command: 'notify-send',
    args: ['--app-name=Pincer', '--', title, withoutMarkup(body)],
    env: pick(env, UNIX),
  };
}

/** By any of these a desktop is found. */
const DESKTOP = ['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'];
const UNIX = [...DESKTOP, 'PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'XAUTHORITY', 'XDG_RUNTIME_DIR'];
const WINDOWS = ['SystemRoot', 'windir', 'PATH', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];

const APPLE_SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

/** Under the identity of PowerShell itself: a program without one of its own may not show anything. */
const TOAST = Buffer.from(
  String.raw`$ErrorActionPreference = 'Stop'
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText02')
$texts = $xml.GetElementsByTagName('text')
[void]$texts.Item(0).AppendChild($xml.CreateTextNode($env:PINCER_NOTICE_TITLE))
[void]$texts.Item(1).AppendChild($xml.CreateTextNode($env:PINCER_NOTICE_BODY))
$id = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($id).Show($toast)`,
  'utf16le',
).toString('base64');

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Desktops show links and pictures where a body has markup (Desktop Notifications Specification 1.2, "Markup"). */
const withoutMarkup = (text: string): string => text.replaceAll(/[&<>]/g, (char) => MARKUP[char]!);

const pick = (env: Environment, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
