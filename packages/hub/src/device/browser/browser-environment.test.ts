import { expect, it } from 'vitest';
import { browserEnvironment, hasDisplay } from './browser-environment.ts';

it('the browser is told of its display, and nothing that leads to what is the person\u2019s', () => {
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
] as const)('on %s with %j there is a display: %s', (platform, env, expected) => {
  expect(hasDisplay({ platform, env })).toBe(expected);
});
