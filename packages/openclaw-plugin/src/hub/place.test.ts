import { expect, test } from 'vitest';
import type { HostApi } from '../host.ts';
import { findPlace } from './place.ts';

const host = { runtime: { state: { resolveStateDir: () => '/var/claw' } } } as unknown as HostApi;

test.each([
  [{}, '/var/claw/openclaw.json'],
  [{ OPENCLAW_CONFIG_PATH: '' }, '/var/claw/openclaw.json'],
  [{ OPENCLAW_CONFIG_PATH: ' /etc/claw.json' }, '/etc/claw.json'],
  [{ OPENCLAW_CONFIG_PATH: '~/claw.json', HOME: '/home/ada' }, '/home/ada/claw.json'],
  [{ OPENCLAW_CONFIG_PATH: '~/claw.json', HOME: '/home/ada', OPENCLAW_HOME: '/srv' }, '/srv/claw.json'],
  [{ OPENCLAW_CONFIG_PATH: '/home/~/claw.json' }, '/home/~/claw.json'],
])('reads %s, given %j', (env, path) => {
  expect(findPlace(host, env).env['OPENCLAW_CONFIG_PATH']).toBe(path);
});

test('uses the folder of the gateway, unless the hub has its own', () => {
  expect(findPlace(host, {}).home).toBe('/var/claw/mcp');
  expect(findPlace(host, { PINCER_HOME: '/var/pincer' }).home).toBe('/var/pincer');
});
