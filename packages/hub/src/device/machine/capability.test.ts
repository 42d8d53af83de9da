import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realPorts, recordedPorts, runCommand } from '../../../../../test/kit/device-ports.ts';
import { VERSION } from '../../lib/version.ts';
import { linuxBattery } from './battery.ts';
import { createDeviceCapability } from './capability.ts';
import { INFO, STATUS } from './capability.ts';
import { createDeviceStatus, SECTIONS } from './status.ts';

const { commands } = createDeviceCapability(realPorts({ PATH: process.env['PATH'] }));
const status = (args: object = {}) =>
  runCommand(commands.get('device.status'), args) as Promise<Record<string, unknown>>;
const ALWAYS = ['collectedAt', 'battery', 'thermal', 'storage', 'network', 'uptimeSeconds'];

it('device.info describes this machine', async () => {
  const info = await runCommand(commands.get('device.info'));
  expect(INFO.strict().parse(info)).toMatchObject({ appVersion: VERSION, appBuild: VERSION });
  expect(info).toHaveProperty('deviceName', os.hostname().replace(/\.local$/, ''));
});

it('device.info asks the system on macOS, and the environment on Windows', async () => {
  const answer = ({ command }: { command: string }) => ({
    stdout: Buffer.from(command.endsWith('sysctl') ? 'Mac15,6\n' : '15.1\n'),
  });
  const mac = createDeviceCapability(recordedPorts({ platform: 'darwin', answer }));
  expect(await runCommand(mac.commands.get('device.info'))).toMatchObject({
    modelIdentifier: 'Mac15,6',
    systemName: 'macOS',
    systemVersion: '15.1',
  });
  const windows = createDeviceCapability(
    recordedPorts({ platform: 'win32', env: { PROCESSOR_IDENTIFIER: 'Intel64 Family 6' } }),
  );
  expect(await runCommand(windows.commands.get('device.info'))).toMatchObject({
    modelIdentifier: 'Intel64 Family 6',
    systemName: 'Windows',
  });
});

describe('device.status', () => {
  it('returns all sections by default, as documented', async () => {
    const result = await status();
    expect(STATUS.strict().parse(result)).toEqual(result);
    expect(Object.keys(result).toSorted()).toEqual([...new Set([...SECTIONS, ...ALWAYS])].toSorted());
    expect(result).toMatchObject({
      os: { architecture: os.arch(), machineName: os.hostname() },
      cpu: { logicalProcessors: os.cpus().length },
      memory: { totalBytes: os.totalmem() },
      thermal: { state: 'nominal' },
    });
    expect(result['disk']).toMatchObject({
      drives: expect.arrayContaining([expect.objectContaining({ name: '/' })]) as unknown,
    });
    expect(result['storage']).toMatchObject({ totalBytes: expect.any(Number) as number });
  });

  it('returns the requested sections in any case, and those that are always present', async () => {
    const result = await status({ sections: ['CPU', ' memory ', 7] });
    expect(Object.keys(result).toSorted()).toEqual([...ALWAYS, 'cpu', 'memory'].toSorted());
    expect(result['battery']).toEqual({ level: null, state: 'unknown', lowPowerModeEnabled: false });
  });

  it.each([{ sections: [] }, { sections: 'cpu' }, { sections: [''] }])(
    'treats %j as all sections',
    async (args) => {
      expect(await status(args)).toHaveProperty('os');
    },
  );

  it('refuses unknown sections', async () => {
    await expect(status({ sections: ['cpu', 'gpu', 'Fans'] })).rejects.toThrow(
      'Unknown sections: gpu, Fans. Valid: os, cpu, memory, disk, battery',
    );
  });

  it('returns the other sections if one fails', async () => {
    const broken = {
      ...os,
      hostname: (): string => {
        throw new Error('/secret/path');
      },
    };
    const ports = recordedPorts({ platform: 'darwin', answer: () => ({ exitCode: 1 }) });
    const result = await createDeviceStatus(ports, broken).collect(
      new Set(SECTIONS),
      new AbortController().signal,
    );
    expect(result).toMatchObject({
      os: { error: 'collection failed' },
      battery: { level: null, state: 'unknown', lowPowerModeEnabled: false, error: 'collection failed' },
      memory: { totalBytes: os.totalmem() },
    });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('battery', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-power-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a level and a state', async () => {
    const stdout = Buffer.from(
      "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t80%; charging; 1:02 remaining\n",
    );
    const ports = recordedPorts({ platform: 'darwin', answer: () => ({ stdout }) });
    const { commands } = createDeviceCapability(ports);
    const result = await runCommand(commands.get('device.status'), { sections: ['battery'] });
    expect(result).toMatchObject({
      battery: {
        level: 80,
        state: 'charging',
        lowPowerModeEnabled: false,
        present: true,
        chargePercent: 80,
        isCharging: true,
        estimatedMinutesRemaining: null,
      },
    });
    expect(ports.runs.map(({ command, args }) => [command, ...args])).toEqual([
      ['/usr/bin/pmset', '-g', 'batt'],
    ]);
  });

  it('is the sum of all batteries on Linux, except those of devices such as mice', async () => {
    expect(await linuxBattery(folder)).toMatchObject({ present: false, chargePercent: null });
    const write = (name: string, values: Record<string, string | number>): void => {
      mkdirSync(join(folder, name), { recursive: true });
      for (const [field, value] of Object.entries(values))
        writeFileSync(join(folder, name, field), `${value}\n`);
    };
    write('AC', { type: 'Mains' });
    write('mouse', { type: 'Battery', scope: 'Device', capacity: 5, status: 'Discharging' });
    expect(await linuxBattery(folder)).toMatchObject({ present: false });
    write('BAT0', { type: 'Battery', status: 'Discharging', capacity: 40 });
    expect(await linuxBattery(folder)).toEqual({
      present: true,
      chargePercent: 40,
      isCharging: false,
      estimatedMinutesRemaining: null,
    });
    write('BAT0', { energy_now: 20_000_000, energy_full: 50_000_000, power_now: 10_000_000 });
    write('BAT1', {
      type: 'Battery',
      status: 'Unknown',
      energy_now: 40_000_000,
      energy_full: 50_000_000,
      power_now: 0,
    });
    expect(await linuxBattery(folder)).toEqual({
      present: true,
      chargePercent: 60,
      isCharging: false,
      estimatedMinutesRemaining: 360,
    });
  });
});
