import { describe, expect, it } from 'vitest';
import { HandConfig, HandHub, HOME, open, status } from '../../../../test/kit/fake-config.ts';
import { eject } from './eject.ts';

const nothing = (): void => undefined;

/** Like `openclaw pincer eject`. */
const switchOff = (draft: Record<string, unknown>): void =>
  void (draft['plugins'] = { entries: { 'mcp-client': { enabled: false } } });

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `server-${index}`);

describe('eject', () => {
  it('removes our entries and keeps the rest of the file', async () => {
    const before = { mcp: { servers: { mine: { command: 'x' } } }, gateway: {} };
    const config = new HandConfig(before);
    await open(config).entries.reconcile(new HandHub(), status('a', 'mine'));
    expect(await eject(config, HOME, nothing)).toEqual(['a', 'mine-pincer']);
    expect(config.file).toEqual(before);
  });

  it('writes nothing without our entries', async () => {
    const config = new HandConfig({ mcp: {} });
    expect(await eject(config, HOME, nothing)).toEqual([]);
    expect(config.writes).toBe(0);
  });

  it.each([1, 2, 7, 60])('never removes half of the file at once, with %i entries', async (count) => {
    const before = { gateway: { mode: 'local' }, meta: { lastTouchedVersion: '2026.9.6' } };
    const config = new HandConfig(before);
    await open(config).entries.reconcile(new HandHub(), status(...names(count)));
    expect(await eject(config, HOME, nothing)).toEqual(names(count));
    expect(config.file).toEqual(before);
  });

  it('is not undone by a gateway that has not noticed it yet', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    config.isSlow = true;
    await eject(config, HOME, switchOff);
    expect(await entries.reconcile(hub, status('a', 'b'))).toMatchObject({ changed: [] });
    config.inForce = config.file;
    expect(await entries.recheck()).toMatchObject({ changed: [] });
    expect(config.file).toEqual({ plugins: { entries: { 'mcp-client': { enabled: false } } } });
  });
});

describe('servers that are removed together', () => {
  it('lose their entries in writes that the host accepts', async () => {
    const [config, hub] = [new HandConfig({ gateway: {} }), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status(...names(20)));
    await entries.reconcile(hub, status());
    expect(config.file).toEqual({ gateway: {} });
  });
});
