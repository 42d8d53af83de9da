import { describe, expect, it } from 'vitest';
import type { AppSessionReport } from '../../control/contract/machine.ts';
import { COLOURED, PLAIN } from '../terminal/style.ts';
import { renderSessions } from './sessions.ts';

const NOW = 10_000_000;

const session = (changes: Partial<AppSessionReport> = {}): AppSessionReport => ({
  id: '3fa2b1c0ffee',
  app: 'notes',
  deviceId: 'device-1',
  deviceName: 'desktop',
  appVersion: '1.0.0',
  chatId: 'chat-1',
  tools: ['a', 'b'],
  bridge: { connectedAt: NOW - 4_000_000, lastHeardAt: NOW - 12_000, saysHello: true },
  lastUsedAt: NOW - 250_000,
  callsInFlight: 2,
  callsWaiting: 0,
  ...changes,
});

const GONE = session({
  id: '77aa00000000',
  app: 'draw',
  bridge: undefined,
  callsInFlight: 0,
  callsWaiting: 3,
  deviceName: undefined,
  chatId: undefined,
  appVersion: '2\u001b[31m',
});

describe('sessions', () => {
  it('take one line each on a wide terminal', () => {
    const lines = renderSessions([session(), GONE], { style: PLAIN, now: NOW, width: 120 }).split('\n');
    expect(lines).toEqual([
      '   ID      APP    BRIDGE  SEEN  IDLE   CALLS          TOOLS  DEVICE, VERSION, CHAT',
      '●  3fa2b1  notes  1 h     12 s  4 min  2              2      desktop (device-1), version 1.0.0, chat chat-1',
      String.raw`○  77aa00  draw   none    -     4 min  0 (3 waiting)  2      device-1, version 2\u001b[31m`,
      '',
      '2 sessions of 2 apps, 1 connected.',
      '',
    ]);
  });

  it('take two lines each on a narrow terminal, and none is wider', () => {
    const long = session({ chatId: 'c'.repeat(200) });
    const text = renderSessions([long, GONE], { style: PLAIN, now: NOW, width: 80 });
    const lines = text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBe(80);
    expect(lines[2]).toMatch(/^ {3}desktop \(device-1\), version 1\.0\.0, chat c+…$/);
    expect(lines[4]).toBe(String.raw`   device-1, version 2\u001b[31m`);
  });

  it('show the same text without colour, and "-" for an app without details', () => {
    const bare = session({
      deviceId: undefined,
      deviceName: undefined,
      appVersion: undefined,
      chatId: undefined,
    });
    const options = { now: NOW, width: 120 };
    const coloured = renderSessions([bare], { ...options, style: COLOURED });
    const plain = renderSessions([bare], { ...options, style: PLAIN });
    // oxlint-disable-next-line no-control-regex -- colours
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain);
    expect(coloured).not.toBe(plain);
    expect(plain.split('\n')[1]).toMatch(/ 2 +-$/);
  });

  it('have unambiguous short ids', () => {
    const text = renderSessions([session({ id: '3fa2b1c0ff00' }), session()], {
      style: PLAIN,
      now: NOW,
      width: 120,
    });
    expect(text).toContain('3fa2b1c0ff0 ');
    expect(text).toContain('3fa2b1c0ffe ');
  });
});
