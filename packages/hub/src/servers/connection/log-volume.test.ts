import { describe, expect, it } from 'vitest';
import { HandClient, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { LOG_LEVELS, type LogLevel } from '../../core/log-level.ts';
import type { SourceRequest } from '../../core/request.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { createLogVolume, type LogVolume } from './server-notices.ts';

function bench(answer: () => Promise<void> = async () => undefined) {
  const told: string[] = [];
  const volume = createLogVolume((params) => {
    told.push(params);
    return answer();
  });
  volume.enable();
  return { volume, told };
}

const want = (logLevel: LogLevel | undefined, era: SourceRequest['era'] = 'legacy'): SourceRequest =>
  toolRequest({ logLevel, era });
const log = (level: string) =>
  parseMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":${level}}}`);

describe('how loud a server is', () => {
  it('is said once for those who want the same or less', async () => {
    const { volume, told } = bench();
    await volume.raiseFor(want('info'));
    expect(volume.raiseFor(want('info'))).toBeUndefined();
    expect(volume.raiseFor(want('error'))).toBeUndefined();
    expect(told).toEqual(['{"level":"info"}']);
  });

  it('is raised for who wants more, and never lowered', async () => {
    const { volume, told } = bench();
    for (const level of ['error', 'warning', 'critical', 'debug', 'emergency', 'info'] as const)
      await volume.raiseFor(want(level));
    expect(told).toEqual(['{"level":"error"}', '{"level":"warning"}', '{"level":"debug"}']);
  });

  it('is not said for those who have not said what they want', () => {
    const { volume, told } = bench();
    expect(volume.raiseFor(want(undefined))).toBeUndefined();
    expect(volume.raiseFor(want(undefined, 'modern'))).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('is not said to a server that takes no level', () => {
    const told: string[] = [];
    const volume = createLogVolume(async (params) => void told.push(params));
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(told).toEqual([]);
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('no'))],
    ['breaks', async () => Promise.reject(new TypeError('x'))],
  ])('is let be where it %s, and not said again', async (_how, answer) => {
    const { volume, told } = bench(answer);
    await expect(volume.raiseFor(want('debug'))).resolves.toBeUndefined();
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(told).toHaveLength(1);
  });

  it('is said for the first of several who want it at once', () => {
    const { volume, told } = bench();
    expect(volume.raiseFor(want('debug'))).toBeDefined();
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(told).toHaveLength(1);
  });
});

describe('what is heard', () => {
  const hears = (volume: LogVolume, request: SourceRequest): string[] =>
    LOG_LEVELS.filter((level) => volume.isWantedBy(request, log(`"${level}"`)));
  const { volume } = bench();

  it.each(LOG_LEVELS)('is what is at least as severe as %s, for those who want that', (level) => {
    for (const era of ['legacy', 'modern'] as const)
      expect(hears(volume, want(level, era))).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });

  it('is everything but debug for a legacy client that has not said', () => {
    expect(hears(volume, want(undefined))).toEqual(LOG_LEVELS.slice(1));
  });

  it('is nothing for a modern request that names no level', () => {
    expect(hears(volume, want(undefined, 'modern'))).toEqual([]);
  });

  it.each(['"loud"', '7', 'null', '{}', '"gr\\u00f6"'])(
    'of a level that is none, %s, is the most severe',
    (level) => {
      expect(volume.isWantedBy(want('emergency'), log(level))).toBe(true);
    },
  );

  it('of no level at all too', () => {
    const silent = parseMessage('{"jsonrpc":"2.0","method":"notifications/message"}');
    expect(volume.isWantedBy(want('emergency'), silent)).toBe(true);
  });

  it('by the owner of a connection is what it wants', () => {
    const owner = new HandClient();
    expect(volume.isWantedByClient(owner, log('"debug"'))).toBe(false);
    expect(volume.isWantedByClient(owner, log('"info"'))).toBe(true);
    owner.logLevel = 'error';
    expect(volume.isWantedByClient(owner, log('"info"'))).toBe(false);
  });
});
