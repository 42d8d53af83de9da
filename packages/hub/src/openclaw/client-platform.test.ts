import { expect, it } from 'vitest';
import { clientPlatform } from './handshake.ts';

it('a machine is called what OpenClaw calls it, with its family', () => {
  expect(clientPlatform('darwin')).toEqual({ platform: 'macos', deviceFamily: 'Mac' });
  expect(clientPlatform('win32')).toEqual({ platform: 'windows', deviceFamily: 'Windows' });
  expect(clientPlatform('linux')).toEqual({ platform: 'linux', deviceFamily: 'Linux' });
  expect(clientPlatform('freebsd')).toEqual({ platform: 'freebsd' });
});
