import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absentView, assertView, ownViews } from './views.ts';

let home: string;
beforeAll(() => void (home = mkdtempSync(join(tmpdir(), 'pincer-views-'))));
afterAll(() => rmSync(home, { recursive: true }));

const configure = (config: object): void => writeFileSync(join(home, 'config.json'), JSON.stringify(config));
/** An environment without OpenClaw. */
const here = (): Record<string, string> => ({ HOME: home, OPENCLAW_STATE_DIR: home });
const refusalOf = (name: string, env = {}): unknown => {
  try {
    assertView(name, home, { ...here(), ...env });
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a view', () => {
  it('exists for a server, this machine, an app with a token, and a configured agent', () => {
    configure({
      servers: { docs: { url: 'https://example.com/mcp' } },
      proxy: { apps: [{ name: 'crm' }], appToken: 'x' },
      agent: { enabled: true },
    });
    for (const name of ['docs', 'device', 'crm', 'apps', 'agent']) expect(refusalOf(name)).toBe(undefined);
    expect(ownViews(home, here())).toEqual(['device', 'agent', 'crm', 'apps']);
    expect(refusalOf('doc')).toMatchObject({ code: 'SERVER_UNKNOWN', hint: 'Did you mean docs?' });
  });

  it('does not exist for this machine if it is switched off, with the reason', () => {
    configure({ device: { enabled: false }, proxy: { enabled: false, apps: [{ name: 'crm' }] } });
    expect(refusalOf('device')).toMatchObject({
      message: 'This machine is not offered: device.enabled is false.',
      hint: expect.stringContaining(join(home, 'config.json')) as string,
    });
    expect(refusalOf('agent')).toMatchObject({ hint: 'See why: pincer doctor' });
    expect(ownViews(home, here())).toEqual([]);
    configure({});
    expect(refusalOf('device', { PINCER_DEVICE: 'off' })).toMatchObject({
      message: 'This machine is not offered: PINCER_DEVICE is off.',
    });
  });

  it('may be missing in a hub that was started with other settings', () => {
    configure({ servers: { docs: { url: 'https://example.com/mcp' } } });
    expect(absentView('device', home, here()).hint).toContain('then start it');
    expect(absentView('docs', home, here()).hint).toContain('pincer reload');
    expect(absentView('nothing', home, here()).message).toBe('No server "nothing" is configured.');
  });
});
