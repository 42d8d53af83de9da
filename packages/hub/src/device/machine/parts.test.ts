import type { CpuInfo, NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { appleBattery, POWER_STATUS, windowsBattery } from './battery.ts';
import { createCpuUsage, readMounts, networkOf } from './status.ts';
import { prettyName } from './capability.ts';

describe('the usage of the processors', () => {
  const cpu = (user: number, idle: number): CpuInfo => ({
    model: '',
    speed: 0,
    times: { user, idle, nice: 0, sys: 0, irq: 0 },
  });

  it('is measured between two samples, or the last known value if they are too close', () => {
    let cpus = [cpu(1_000, 1_000)];
    const usage = createCpuUsage(() => cpus);
    expect(usage.sample()).toBeNull();
    cpus = [cpu(1_025, 1_075)];
    expect(usage.sample()).toBe(25);
    cpus = [cpu(1_030, 1_075)];
    expect(usage.sample()).toBe(25);
    cpus = [cpu(1_125, 1_075)];
    expect(usage.sample()).toBe(100);
  });

  it('survives a removed processor', () => {
    let cpus = [cpu(1_000, 1_000), cpu(1_000, 1_000)];
    const usage = createCpuUsage(() => cpus);
    cpus = [cpu(1_000, 1_100)];
    expect(usage.sample()).toBeNull();
    cpus = [cpu(1_000, 1_200)];
    expect(usage.sample()).toBe(0);
  });
});

it('lists each disk once and always the root, but nothing else', () => {
  const text = [
    'overlay / overlay rw 0 0',
    'proc /proc proc rw 0 0',
    '/dev/sda1 /var/lib/docker ext4 rw 0 0',
    '/dev/sda1 /boot ext4 rw 0 0',
    String.raw`/dev/sdb1 /media/my\040disk vfat rw 0 0`,
    '/dev/loop3 /snap/core squashfs ro 0 0',
    'server:/home /home nfs rw 0 0',
    '',
  ].join('\n');
  expect(readMounts(text)).toEqual([
    { path: '/', format: 'overlay' },
    { path: '/boot', format: 'ext4' },
    { path: '/media/my disk', format: 'vfat' },
  ]);
});

describe('batteries of other systems', () => {
  const none = { present: false, chargePercent: null, isCharging: false, estimatedMinutesRemaining: null };
  const battery = (chargePercent: number, isCharging: boolean, estimatedMinutesRemaining: number | null) => ({
    present: true,
    chargePercent,
    isCharging,
    estimatedMinutesRemaining,
  });
  const apple = (line: string) => appleBattery(`Now drawing from 'Battery Power'\n${line}\n`);

  it.each([
    ['', none],
    [' -InternalBattery-0 (id=46)\t87%; discharging; 5:12 remaining present: true', battery(87, false, 312)],
    [' -InternalBattery-0 (id=46)\t87%; discharging; (no estimate) present: true', battery(87, false, null)],
    [' -InternalBattery-0 (id=46)\t100%; charged; 0:00 remaining present: true', battery(100, false, null)],
    [
      ' -InternalBattery-0 (id=46)\t96%; finishing charge; 0:10 remaining present: true',
      battery(96, true, null),
    ],
    [' -InternalBattery-0 (id=46)\t80%; AC attached; not charging present: true', battery(80, false, null)],
  ])('pmset: %s', (line, expected) => {
    expect(apple(line)).toEqual(expected);
  });

  it.each([
    ['128;100;-1\r\n', none],
    ['255;255;-1\r\n', none],
    ['0;63;5400\r\n', battery(63, false, 90)],
    ['9;63;-1\r\n', battery(63, true, null)],
  ])('PowerShell: %j', (text, expected) => {
    expect(windowsBattery(text)).toEqual(expected);
  });

  it('throws for other output of PowerShell', () => {
    expect(() => windowsBattery('Add-Type : denied')).toThrow('unexpected output of PowerShell');
    expect(POWER_STATUS).toContain('PowerStatus');
  });
});

it.each([
  [{}, 'unsatisfied', []],
  [{ lo: ['127.0.0.1'] }, 'unsatisfied', []],
  [{ wlp3s0: ['192.168.1.2'], docker0: ['172.17.0.1'], tun0: ['10.0.0.1'] }, 'satisfied', ['wifi', 'other']],
  [{ eth0: ['10.0.0.2'], enp0s31f6: ['10.0.0.3'] }, 'satisfied', ['wired']],
  [{ 'Wi-Fi': ['169.254.3.4'], Ethernet: ['fe80::1'] }, 'unsatisfied', []],
  [{ wwan0: ['10.1.1.1'] }, 'satisfied', ['cellular']],
])('networks: %j', (given, status, interfaces) => {
  const all = Object.entries(given as Record<string, string[]>).map(([name, addresses]) => [
    name,
    addresses.map((address) => ({ address, internal: address.startsWith('127.') }) as NetworkInterfaceInfo),
  ]);
  expect(networkOf(Object.fromEntries(all) as Record<string, NetworkInterfaceInfo[]>)).toEqual({
    status,
    isExpensive: false,
    isConstrained: false,
    interfaces,
  });
});

it.each([
  ['NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', 'Debian GNU/Linux 12 (bookworm)'],
  ['PRETTY_NAME=Alpine', 'Alpine'],
  ['NAME=x', undefined],
])('the name of a Linux: %j', (text, name) => {
  expect(prettyName(text)).toBe(name);
});
