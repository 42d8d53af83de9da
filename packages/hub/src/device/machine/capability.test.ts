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

it('device.info says what this machine is', async () => {
  const info = await runCommand(commands.get('device.info'));
  expect(INFO.strict().parse(info)).toMatchObject({ appVersion: VERSION, appBuild: VERSION });
  expect(info).toHaveProperty('deviceName', os.hostname().replace(/\.local$/, ''));
});

it('on macOS device.info asks the system, and on Windows the environment', async () => {
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
  it('says everything by default, as it is documented', async () => {
    const said = await status();
    expect(STATUS.strict().parse(said)).toEqual(said);
    expect(Object.keys(said).toSorted()).toEqual([...new Set([...SECTIONS, ...ALWAYS])].toSorted());
    expect(said).toMatchObject({
      os: { architecture: os.arch(), machineName: os.hostname() },
      cpu: { logicalProcessors: os.cpus().length },
      memory: { totalBytes: os.totalmem() },
      thermal: { state: 'nominal' },
    });
    expect(said['disk']).toMatchObject({
      drives: expect.arrayContaining([expect.objectContaining({ name: '/' })]) as unknown,
    });
    expect(said['storage']).toMatchObject({ totalBytes: expect.any(Number) as number });
  });

  it('has the sections that are asked for, in any case of letters, and those that are always there', async () => {
    const said = await status({ sections: ['CPU', ' memory ', 7] });
    expect(Object.keys(said).toSorted()).toEqual([...ALWAYS, 'cpu', 'memory'].toSorted());
    expect(said['battery']).toEqual({ level: null, state: 'unknown', lowPowerModeEnabled: false });
  });

  it.each([{ sections: [] }, { sections: 'cpu' }, { sections: [''] }])('takes %j for all', async (args) => {
    expect(await status(args)).toHaveProperty('os');
  });

  it('refuses sections that there are not', async () => {
    await expect(status({ sections: ['cpu', 'gpu', 'Fans'] })).rejects.toThrow(
      'Unknown sections: gpu, Fans. Valid: os, cpu, memory, disk, battery',
    );
  });

  it('goes on where a section cannot be told', async () => {
    const broken = {
      ...os,
      hostname: (): string => {
        throw new Error('/secret/path');
      },
    };
    const ports = recordedPorts({ platform: 'darwin', answer: () => ({ exitCode: 1 }) });
    const said = await createDeviceStatus(ports, broken).collect(
      new Set(SECTIONS),
      new AbortController().signal,
    );
    expect(said).toMatchObject({
      os: { error: 'collection failed' },
      battery: { level: null, state: 'unknown', lowPowerModeEnabled: false, error: 'collection failed' },
      memory: { totalBytes: os.totalmem() },
    });
    expect(JSON.stringify(said)).not.toContain('secret');
  });
});

describe('battery', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-power-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is told with its level and state', async () => {
    const stdout = Buffer.from(
      "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t80%; charging; 1:02 remaining\n",
    );
    const ports = recordedPorts({ platform: 'darwin', answer: () => ({ stdout }) });
    const { commands } = createDeviceCapability(ports);
    const said = await runCommand(commands.get('device.status'), { sections: ['battery'] });
    expect(said).toMatchObject({
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

  it('on Linux is what the kernel says, all of them together and without those of mice', async () => {
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
