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

  it('notify-send gets the texts after its options, without markup, and little of the environment', () => {
    expect(desktopProgram(NOTICE, 'linux', env)).toEqual({
      command: 'notify-send',
      args: ['--app-name=Pincer', '--', NOTICE.title, '--icon=/etc/passwd "$(id)"\n&lt;a href="x"&gt;&amp;'],
      env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x', PATH: '/bin' },
    });
  });

  it('what notify-send would make characters of stays as it is written', () => {
    const body = String.raw`\074img src=x\076 C:\new`;
    expect(desktopProgram({ title: 'x', body }, 'linux', env)!.args.at(-1)).toBe(
      String.raw`\\074img src=x\\076 C:\\new`,
    );
  });

  it('urgency, silence and a subtitle are told', () => {
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

  it.each(['DBUS_SESSION_BUS_ADDRESS', 'WAYLAND_DISPLAY', 'DISPLAY'])('a desktop is found by %s', (name) => {
    expect(desktopProgram(NOTICE, 'linux', { [name]: 'x' })).toBeDefined();
    expect(desktopProgram(NOTICE, 'linux', { [name]: '' })).toBeUndefined();
  });

  it('nothing is run where there is none', () => {
    expect(desktopProgram(NOTICE, 'linux', { PATH: '/bin' })).toBeUndefined();
  });
});

describe('on macOS', () => {
  it('osascript gets a script of ours and the texts as its arguments', () => {
    const { command, args } = desktopProgram(NOTICE, 'darwin', { HOME: '/Users/x' })!;
    expect(command).toBe('/usr/bin/osascript');
    expect(args.slice(-4)).toEqual(['notice', NOTICE.title, '', NOTICE.body]);
    const scripts = args.slice(0, -4);
    expect(scripts.filter((_, at) => at % 2 === 0)).toEqual(['-e', '-e', '-e']);
    expect(scripts.join('')).not.toContain('$(id)');
    expect(scripts.join('')).not.toContain('sound');
  });

  it('no text is where an option could be, and a sound is heard where it is wanted', () => {
    const notice: Notice = { title: '-l', subtitle: '-e', body: '-s', isSilent: false };
    const { args } = desktopProgram(notice, 'darwin', {})!;
    expect(args.slice(6)).toEqual(['notice', '-l', '-e', '-s']);
    expect(args[3]).toBe(
      'display notification (item 4 of argv) with title (item 2 of argv) subtitle (item 3 of argv) sound name "default"',
    );
  });
});

describe('on Windows', () => {
  it('PowerShell gets a script of ours, and the texts as variables', () => {
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

  it('a variable is there for what is asked for, and never empty', () => {
    const notice: Notice = { title: 't', subtitle: 's', body: '', urgency: 'critical', isSilent: true };
    expect(desktopProgram(notice, 'win32', {})!.env).toEqual({
      PINCER_NOTICE_TITLE: 't',
      PINCER_NOTICE_SUBTITLE: 's',
      PINCER_NOTICE_SILENT: '1',
      PINCER_NOTICE_URGENT: '1',
    });
  });
});
