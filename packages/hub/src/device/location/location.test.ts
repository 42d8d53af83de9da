import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import type { Browser } from '../browser/browser.ts';
import type { Page } from '../browser/page.ts';
import { LOCATION_INPUT, orderOf, createLocationCapability, type FixedPosition } from './capability.ts';
import { locationFailure, LocationProblem, type Problem } from './fix.ts';
import { parseWhereAmI, whereAmIArgs } from './geoclue.ts';
import { parseWatcher, watcherScript } from './windows.ts';
import { verifies } from '../../../../../test/verifies.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-location-'));
  for (const [place, ...names] of [
    ['desktop', 'where-am-i', 'chromium'],
    ['browser', 'chromium'],
    ['windows', 'powershell'],
    ['nothing'],
  ] as const) {
    mkdirSync(join(folder, place));
    for (const name of names) {
      writeFileSync(join(folder, place, name), '');
      chmodSync(join(folder, place, name), 0o700);
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const OUTPUT = `Client object: /org/freedesktop/GeoClue2/Client/1

New location:
Latitude:    48.208174°
Longitude:   -16.373819°
Accuracy:    50.000000 meters
Altitude:    171.5 meters
Timestamp:   Mon 16 Nov 2026 10:00:00 AM UTC (1794823200 seconds since the Epoch)
`;
const PLACE = { latitude: 1, longitude: 2, accuracy: 30, altitude: null, speed: null, heading: null };

const POSITION = 'device.position in the configuration, for example { "latitude": 52.52, "longitude": 13.4 }';
const ON_LINUX = `Set ${POSITION}. Or install geoclue-2-demo (GeoClue with where-am-i).`;

interface Asked {
  count: number;
}

/** A page that returns `answer` as its position. */
const browserWith = (answer: () => object, asked: Asked = { count: 0 }): Browser => ({
  open: () =>
    Promise.resolve({
      evaluate: () => {
        asked.count += 1;
        return Promise.resolve(answer());
      },
      close: () => Promise.resolve(),
    } as unknown as Page),
  close: () => Promise.resolve(),
});

function location(
  place: string,
  browser: Browser,
  machine: Machine = {},
  fixed?: () => FixedPosition | undefined,
) {
  const browserPath = join(folder, place, 'chromium');
  const ports = recordedPorts({
    env: { PATH: join(folder, place), PINCER_BROWSER: browserPath },
    ...machine,
  });
  const { commands, readiness } = createLocationCapability(ports, {
    browser,
    fixed: fixed ?? (() => undefined),
    // GeoClue's program may be in its usual place on the machine that runs the test.
    geocluePlaces: [],
  });
  return { ports, readiness, get: (args?: object) => runCommand(commands.get('location.get'), args) };
}

const inBrowser = (answer: object) => browserWith(() => ({ timestamp: Date.now(), ...answer }));

describe('arguments', () => {
  const read = (args: object) => orderOf(LOCATION_INPUT.parse(args));

  it('have defaults and bounds', () => {
    expect(read({})).toEqual({ accuracy: 'balanced', maxAgeMs: 30_000, timeoutMs: 10_000 });
    expect(read({ maxAge: -1, locationTimeout: 1 })).toMatchObject({ maxAgeMs: 0, timeoutMs: 1_000 });
    expect(read({ maxAge: 'x', locationTimeout: 1e9 })).toMatchObject({
      maxAgeMs: 30_000,
      timeoutMs: 60_000,
    });
  });

  it('are accepted in both dialects', () => {
    const theirs = read({ desiredAccuracy: 'precise', maxAgeMs: 5, timeoutMs: 2_000 });
    expect(theirs).toEqual(read({ accuracy: 'high', maxAge: 5, locationTimeout: 2_000 }));
    expect(read({ accuracy: 'precise' }).accuracy).toBe('precise');
    expect(read({ desiredAccuracy: 'coarse' }).accuracy).toBe('coarse');
    expect(read({ accuracy: 'default' }).accuracy).toBe('balanced');
  });
});

describe('GeoClue', () => {
  it('is never asked for an accuracy that it would guess from the IP address', () => {
    expect(whereAmIArgs(2_500, 'coarse')).toEqual(['-t', '3', '-a', '5']);
    expect(whereAmIArgs(10_000, 'balanced').at(-1)).toBe('6');
    expect(whereAmIArgs(10_000, 'precise').at(-1)).toBe('8');
  });

  it('has its output parsed', () => {
    expect(parseWhereAmI(OUTPUT, 0)).toEqual({
      latitude: 48.208174,
      longitude: -16.373819,
      accuracy: 50,
      at: 1_794_823_200_000,
      source: 'geoclue',
      altitude: 171.5,
      speed: undefined,
      heading: undefined,
    });
    expect(parseWhereAmI('Client object: /x\n', 0)).toBeUndefined();
    expect(parseWhereAmI(OUTPUT.replace('48.208174', '148'), 0)).toBeUndefined();
    expect(parseWhereAmI(OUTPUT.slice(0, OUTPUT.indexOf('Timestamp')), 0)).toBeUndefined();
  });

  it('is stopped as soon as it has returned a position', async () => {
    let isAborted = false;
    const { get, ports } = location('desktop', inBrowser({}), {
      answer: (run) => {
        run.onStdout?.(Buffer.from(OUTPUT.slice(0, 60)));
        run.onStdout?.(Buffer.from(OUTPUT.slice(60)));
        isAborted = run.signal.aborted;
        return { kind: 'aborted', stdout: Buffer.from(OUTPUT) };
      },
    });
    expect(await get()).toMatchObject({
      lat: 48.208174,
      lon: -16.373819,
      source: 'geoclue',
      altitudeMeters: 171.5,
    });
    expect(isAborted).toBe(true);
    expect(ports.runs[0]!.env).toMatchObject({ LC_ALL: 'C' });
  });

  it('that refuses is final: no other source is asked', async () => {
    verifies('000-security-os-consent');
    const asked = { count: 0 };
    const { get } = location(
      'desktop',
      browserWith(() => PLACE, asked),
      {
        answer: () => ({ exitCode: 1, stderr: Buffer.from("'/home/me' disallowed, no agent for UID 1000") }),
      },
    );
    await expect(get()).rejects.toMatchObject({
      code: 'LOCATION_DISABLED',
      message: expect.not.stringContaining('/home/me') as unknown,
    });
    expect(asked.count).toBe(0);
  });

  it('that fails falls back to the browser', async () => {
    const { get } = location('desktop', inBrowser(PLACE), {
      answer: () => ({ exitCode: 1, stderr: Buffer.from('Could not connect: No such file or directory') }),
    });
    expect(await get()).toMatchObject({ latitude: 1, longitude: 2, source: 'browser' });
  });
});

describe('Windows', () => {
  it('is asked through PowerShell, with no text from a caller', () => {
    verifies('000-summary-other-systems');
    const script = watcherScript(5_000, 'precise');
    expect(script).toContain("GeoCoordinateWatcher('High')");
    expect(script).toContain('AddMilliseconds(5000)');
    expect(watcherScript(5_000, 'coarse')).toContain("GeoCoordinateWatcher('Default')");
  });

  it('has its output parsed', () => {
    const answer = {
      permission: 'Granted',
      status: 'Ready',
      known: true,
      latitude: 1.5,
      longitude: 2,
      accuracy: 8,
      at: 7,
    };
    expect(parseWatcher(JSON.stringify({ ...answer, altitude: 'NaN' }))).toEqual({
      latitude: 1.5,
      longitude: 2,
      accuracy: 8,
      at: 7,
      source: 'windows',
    });
    const problemOf = (change: object): unknown => {
      try {
        return parseWatcher(JSON.stringify({ ...answer, ...change }));
      } catch (error) {
        return (error as LocationProblem).problem;
      }
    };
    expect(problemOf({ permission: 'Denied' })).toBe('denied');
    expect(problemOf({ status: 'Disabled', known: false })).toBe('off');
    expect(problemOf({ status: 'NoData', known: false })).toBe('late');
    expect(problemOf({ accuracy: 'NaN' })).toBe('unknown');
    expect(() => parseWatcher('Add-Type : Cannot find')).toThrow(LocationProblem);
  });

  it('is asked before the browser', async () => {
    const { ports, readiness } = location('windows', inBrowser(PLACE), { platform: 'win32' });
    expect(await readiness!()).toEqual([expect.objectContaining({ backend: 'Windows location service' })]);
    expect(ports.runs).toEqual([]);
  });
});

describe('the position', () => {
  it('that the person has set is always returned', async () => {
    const asked = { count: 0 };
    const fixed = { latitude: 10, longitude: 20, accuracy: 50_000 };
    const { get } = location(
      'desktop',
      browserWith(() => PLACE, asked),
      {},
      () => fixed,
    );
    expect(await get()).toMatchObject({
      latitude: 10,
      longitude: 20,
      accuracy: 50_000,
      isPrecise: false,
      source: 'fixed',
    });
    expect(asked.count).toBe(0);
  });

  it('is returned in both dialects', async () => {
    const at = Date.now();
    const { get } = location(
      'browser',
      browserWith(() => ({ ...PLACE, timestamp: at, heading: 90, speed: 2 })),
    );
    expect(await get()).toEqual({
      latitude: 1,
      longitude: 2,
      accuracy: 30,
      timestamp: at,
      lat: 1,
      lon: 2,
      accuracyMeters: 30,
      timestampIso: new Date(at).toISOString(),
      isPrecise: true,
      source: 'browser',
      headingDeg: 90,
      speedMps: 2,
    });
  });

  it('is cached up to maxAge', async () => {
    const asked = { count: 0 };
    const { get } = location(
      'browser',
      browserWith(() => ({ ...PLACE, timestamp: Date.now(), latitude: asked.count }), asked),
    );
    expect(await get()).toMatchObject({ latitude: 1 });
    expect(await get({ maxAge: 60_000 })).toMatchObject({ latitude: 1 });
    expect(await get({ maxAge: 0 })).toMatchObject({ latitude: 2 });
  });

  it('that is too coarse is not reused for a precise request', async () => {
    const asked = { count: 0 };
    const { get } = location(
      'browser',
      browserWith(() => ({ ...PLACE, accuracy: 900, timestamp: Date.now() }), asked),
    );
    await get();
    await get({ desiredAccuracy: 'precise' });
    expect(asked.count).toBe(2);
  });

  it('that is a guess from the IP address is not returned', async () => {
    const { get } = location('browser', inBrowser({ ...PLACE, accuracy: 25_000 }));
    await expect(get()).rejects.toMatchObject({ code: 'LOCATION_UNAVAILABLE' });
  });
});

describe('failures', () => {
  it('have the codes of gateways', () => {
    const codeOf = (problem: Problem) => locationFailure(new LocationProblem(problem, 'secret')).code;
    expect((['denied', 'off', 'late', 'unknown'] as const).map(codeOf)).toEqual([
      'LOCATION_PERMISSION_REQUIRED',
      'LOCATION_DISABLED',
      'LOCATION_TIMEOUT',
      'LOCATION_UNAVAILABLE',
    ]);
    expect(locationFailure(new LocationProblem('denied', 'secret')).message).toBe(
      'LOCATION_PERMISSION_REQUIRED',
    );
    expect(locationFailure(new Error('secret')).message).toBe('Location failed');
  });

  it('of the browser are distinguished by its codes', async () => {
    for (const [code, expected] of [
      [1, 'LOCATION_PERMISSION_REQUIRED'],
      [2, 'LOCATION_UNAVAILABLE'],
      [3, 'LOCATION_TIMEOUT'],
    ] as const)
      await expect(location('browser', inBrowser({ code, message: 'x' })).get()).rejects.toMatchObject({
        code: expected,
      });
  });

  it.each([
    ['darwin', `Install Chromium, Google Chrome or Microsoft Edge. Or set ${POSITION}.`],
    ['linux', ON_LINUX],
  ] as const)('on %s without any source name what to install or to set', async (platform, hint) => {
    const { get, readiness } = location('nothing', inBrowser(PLACE), { platform });
    await expect(get()).rejects.toMatchObject({
      message: 'Location not available',
      code: 'LOCATION_UNAVAILABLE',
      hint,
      notExecuted: true,
    });
    expect(await readiness!()).toEqual([expect.objectContaining({ available: false, hint })]);
  });
});

describe('the browser as the only source', () => {
  const UNLIKELY = 'the browser rarely knows the position on Linux';
  const late = inBrowser({ code: 3, message: 'x' });

  it('is asked on Linux, and its readiness says that it is rarely enough', async () => {
    const { get, readiness } = location('browser', inBrowser(PLACE));
    expect(await get()).toMatchObject({ source: 'browser' });
    expect(await readiness!()).toEqual([
      {
        commands: ['location.get'],
        available: true,
        backend: 'the browser',
        reason: UNLIKELY,
        hint: ON_LINUX,
      },
    ]);
  });

  it.each([2, 3])('that fails with %i on Linux comes with a hint to another source', async (code) => {
    await expect(location('browser', inBrowser({ code, message: 'x' })).get()).rejects.toMatchObject({
      hint: ON_LINUX,
    });
  });

  it('is enough on other systems, and together with GeoClue', async () => {
    const mac = location('browser', late, { platform: 'darwin' });
    const desktop = location('desktop', late);
    expect(await mac.readiness!()).toEqual([
      { commands: ['location.get'], available: true, backend: 'the browser' },
    ]);
    expect(await desktop.readiness!()).toEqual([
      { commands: ['location.get'], available: true, backend: 'GeoClue, then the browser' },
    ]);
    for (const { get } of [mac, desktop])
      await expect(get()).rejects.toMatchObject({
        hint: `Try again with a longer locationTimeout. Or set ${POSITION}.`,
      });
  });
});
