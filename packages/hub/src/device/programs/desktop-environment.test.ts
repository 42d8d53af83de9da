import { describe, expect, it } from 'vitest';
import { desktopEnvironment } from './desktop-environment.ts';

describe('the environment of a program of the desktop', () => {
  it('names the display, the session and where programs are', () => {
    const env = {
      PATH: '/usr/bin',
      DISPLAY: ':0',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
      HOME: '/home/me',
    };
    expect(desktopEnvironment(env)).toEqual(env);
  });

  it('has nothing else of the hub, neither keys nor options of Node', () => {
    const env = { OPENAI_API_KEY: 'secret', NODE_OPTIONS: '--inspect', LD_PRELOAD: '/x.so', PATH: '/bin' };
    expect(desktopEnvironment(env)).toEqual({ PATH: '/bin' });
  });

  it('leads to no program in the folder that the hub happens to be in', () => {
    const posix = '.:/usr/bin::node_modules/.bin:/bin';
    expect(desktopEnvironment({ PATH: posix }, 'linux')).toEqual({ PATH: '/usr/bin:/bin' });
    const windows = '.;C:\\Windows;;node_modules\\.bin;D:\\Tools';
    expect(desktopEnvironment({ Path: windows }, 'win32')).toEqual({ Path: 'C:\\Windows;D:\\Tools' });
  });

  it('leaves out what is not set, and keeps the names of Windows as they are written there', () => {
    const env = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', LANG: undefined };
    expect(desktopEnvironment(env, 'win32')).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
  });
});
