import { describe, expect, it } from 'vitest';
import { desktopProgram, type Notice } from './desktop-program.ts';

const NOTICE: Notice = { title: 'Pincer: may s.x run?', body: '--icon=/etc/passwd "$(id)"\n<a href="x">&' };

describe('on Linux', () => {
  const env = {
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x',
    PATH: '/bin',
    NODE_OPTIONS: '--x',
    TOKEN: 'secret',
  };

  it('passes the texts to notify-send after its options, without markup, with a small environment', () => {
    expect(desktopProgram(NOTICE, 'linux', env)).toEqual({
      command: 'notify-send',
      args: ['--app-name=Pincer', '--', NOTICE.title, '--icon=/etc/passwd "$(id)"\n&lt;a href="x"&gt;&amp;'],
      env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x', PATH: '/bin' },
    });
  });

  it('escapes backslashes, so that notify-send does not expand them', () => {
    const body = String.raw`\074img src=x\076 C:\new`;
    expect(desktopProgram({ title: 'x', body }, 'linux', env)!.args.at(-1)).toBe(
      String.raw`\\074img src=x\\076 C:\\new`,
    );
  });

  it('passes urgency, silence and subtitle', () => {
    const notice: Notice = { title: 't', subtitle: '<s>', body: 'b', urgency: 'critical', isSilent: true };
    expect(desktopProgram(notice, 'linux', env)!.args).toEqual([
      '--app-name=Pincer',
      '--urgency=critical',
      '--hint=boolean:suppress-sound:true',
      '--',
      't',
      '&lt;s&gt;\nb',
    ]);
  });

  it.each(['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'])('finds the desktop by %s', (name) => {
    expect(desktopProgram(NOTICE, 'linux', { [name]: 'x' })).toBeDefined();
    expect(desktopProgram(NOTICE, 'linux', { [name]: '' })).toBeUndefined();
  });

  it('returns undefined without a desktop', () => {
    expect(desktopProgram(NOTICE, 'linux', { PATH: '/bin' })).toBeUndefined();
  });
});

describe('on macOS', () => {
  it('passes a fixed script to osascript and the texts as arguments', () => {
    const { command, args } = desktopProgram(NOTICE, 'darwin', { HOME: '/Users/x' })!;
    expect(command).toBe('/usr/bin/osascript');
    expect(args.slice(-4)).toEqual(['notice', NOTICE.title, '', NOTICE.body]);
    const scripts = args.slice(0, -4);
    expect(scripts.filter((_, at) => at % 2 === 0)).toEqual(['-e', '-e', '-e']);
    expect(scripts.join('')).not.toContain('$(id)');
    expect(scripts.join('')).not.toContain('sound');
  });

  it('no text is in the place of an option, and a sound plays on request', () => {
    const notice: Notice = { title: '-l', subtitle: '-e', body: '-s', isSilent: false };
    const { args } = desktopProgram(notice, 'darwin', {})!;
    expect(args.slice(6)).toEqual(['notice', '-l', '-e', '-s']);
    expect(args[3]).toBe(
      'display notification (item 4 of argv) with title (item 2 of argv) subtitle (item 3 of argv) sound name "default"',
    );
  });
});

describe('on Windows', () => {
  it('passes a fixed script to PowerShell and the texts as variables', () => {
    const { command, args, env } = desktopProgram(NOTICE, 'win32', { SystemRoot: String.raw`D:\Win` })!;
    expect(command).toBe(String.raw`D:\Win\System32\WindowsPowerShell\v1.0\powershell.exe`);
    expect(env).toEqual({
      SystemRoot: String.raw`D:\Win`,
      PINCER_NOTICE_TITLE: NOTICE.title,
      PINCER_NOTICE_BODY: NOTICE.body,
    });
    const script = Buffer.from(args.at(-1)!, 'base64').toString('utf16le');
    expect(args.slice(0, -1)).toEqual(['-NoProfile', '-NonInteractive', '-EncodedCommand']);
    expect(script).toContain('$env:PINCER_NOTICE_BODY');
    expect(script).not.toContain('passwd');
  });

  it('sets a variable for each requested option and never an empty one', () => {
    const notice: Notice = { title: 't', subtitle: 's', body: '', urgency: 'critical', isSilent: true };
    expect(desktopProgram(notice, 'win32', {})!.env).toEqual({
      PINCER_NOTICE_TITLE: 't',
      PINCER_NOTICE_SUBTITLE: 's',
      PINCER_NOTICE_SILENT: '1',
      PINCER_NOTICE_URGENT: '1',
    });
  });
});
