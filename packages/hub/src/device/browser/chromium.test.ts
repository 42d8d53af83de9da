import { describe, expect, it } from 'vitest';
import { launchFlags, type Launch, browserEnvironment, hasDisplay } from './chromium.ts';

const flags = (launch: Partial<Launch>): string[] =>
  launchFlags({
    platform: 'linux',
    isRoot: false,
    profile: '/state/run/browser-1-a',
    guard: '127.0.0.1:4711',
    extraArgs: [],
    ...launch,
  });

describe('the command line of the browser', () => {
  it('has a separate profile and cannot bypass the guard', () => {
    expect(flags({})).toEqual(
      expect.arrayContaining([
        '--remote-debugging-pipe',
        '--user-data-dir=/state/run/browser-1-a',
        '--proxy-server=http://127.0.0.1:4711',
        '--proxy-bypass-list=<-loopback>',
        '--disable-quic',
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--deny-permission-prompts',
      ]),
    );
  });

  it('disables the sandbox only for root on Linux', () => {
    expect(flags({ isRoot: true })).toContain('--no-sandbox');
    expect(flags({ isRoot: false })).not.toContain('--no-sandbox');
    expect(flags({ isRoot: true, platform: 'darwin' })).not.toContain('--no-sandbox');
    expect(flags({ platform: 'win32' })).not.toContain('--no-sandbox');
  });

  it.each(['linux', 'darwin', 'win32'] as const)('opens a window on %s if requested', (platform) => {
    const shown = flags({ platform, window: { width: 640, height: 480, x: 10, y: 20 } });
    expect(shown).toEqual(
      expect.arrayContaining([
        '--window-size=640,480',
        '--window-position=10,20',
        expect.stringMatching(/^--app=/),
      ]),
    );
    expect(shown).not.toContain('--headless');
    expect(flags({ platform })).toContain('--headless');
    expect(flags({ platform, window: { width: 1, height: 1 } }).join()).not.toContain('--window-position');
  });

  it('contains the extra arguments of the person', () => {
    expect(flags({ extraArgs: ['--use-fake-device-for-media-stream'] })).toContain(
      '--use-fake-device-for-media-stream',
    );
  });
});

it('the environment of the browser has the display, but no access to data of the person', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/me',
    DISPLAY: ':1',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    XDG_CONFIG_HOME: '/home/me/.config',
    OPENAI_API_KEY: 'secret',
    HTTPS_PROXY: 'http://u:p@proxy',
  };
  const given = browserEnvironment({ env, platform: 'linux' }, '/profile');
  expect(given).toEqual({ PATH: '/bin', HOME: '/profile', DISPLAY: ':1' });
  expect(browserEnvironment({ env, platform: 'darwin' }, '/profile')['HOME']).toBe('/home/me');
});

it.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['darwin', {}, true],
  ['win32', {}, true],
] as const)('%s with %j has a display: %s', (platform, env, expected) => {
  expect(hasDisplay({ platform, env })).toBe(expected);
});
