import { describe, expect, it } from 'vitest';
import { HandClient, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { LOG_LEVELS, type LogLevel } from '../../core/log-level.ts';
import type { SourceRequest } from '../../core/request.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { createLogVolume, type LogVolume } from './server-notices.ts';

function bench(answer: () => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  const volume = createLogVolume((params) => {
    sent.push(params);
    return answer();
  });
  volume.enable();
  return { volume, sent };
}

const want = (logLevel: LogLevel | undefined, era: SourceRequest['era'] = 'legacy'): SourceRequest =>
  toolRequest({ logLevel, era });
const log = (level: string) =>
  parseMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":${level}}}`);

describe('the log level of a connection', () => {
  it('is sent once for callers that want the same or less', async () => {
    const { volume, sent } = bench();
    await volume.raiseFor(want('info'));
    expect(volume.raiseFor(want('info'))).toBeUndefined();
    expect(volume.raiseFor(want('error'))).toBeUndefined();
    expect(sent).toEqual(['{"level":"info"}']);
  });

  it('is raised for a caller that wants more, and never lowered', async () => {
    const { volume, sent } = bench();
    for (const level of ['error', 'warning', 'critical', 'debug', 'emergency', 'info'] as const)
      await volume.raiseFor(want(level));
    expect(sent).toEqual(['{"level":"error"}', '{"level":"warning"}', '{"level":"debug"}']);
  });

  it('is not sent for callers without a level', () => {
    const { volume, sent } = bench();
    expect(volume.raiseFor(want(undefined))).toBeUndefined();
    expect(volume.raiseFor(want(undefined, 'modern'))).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('is not sent to a server without logging', () => {
    const sent: string[] = [];
    const volume = createLogVolume(async (params) => void sent.push(params));
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('no'))],
    ['breaks', async () => Promise.reject(new TypeError('x'))],
  ])('is not sent again if the server %s', async (_how, answer) => {
    const { volume, sent } = bench(answer);
    await expect(volume.raiseFor(want('debug'))).resolves.toBeUndefined();
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  it('is sent once for several simultaneous callers', () => {
    const { volume, sent } = bench();
    expect(volume.raiseFor(want('debug'))).toBeDefined();
    expect(volume.raiseFor(want('debug'))).toBeUndefined();
    expect(sent).toHaveLength(1);
  });
});

describe('log messages', () => {
  const hears = (volume: LogVolume, request: SourceRequest): string[] =>
    LOG_LEVELS.filter((level) => volume.isWantedBy(request, log(`"${level}"`)));
  const { volume } = bench();

  it.each(LOG_LEVELS)('reach a client with the level %s if they are at least as severe', (level) => {
    for (const era of ['legacy', 'modern'] as const)
      expect(hears(volume, want(level, era))).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });

  it('except debug reach a legacy client without a level', () => {
    expect(hears(volume, want(undefined))).toEqual(LOG_LEVELS.slice(1));
  });

  it('do not reach a modern request without a level', () => {
    expect(hears(volume, want(undefined, 'modern'))).toEqual([]);
  });

  it.each(['"loud"', '7', 'null', '{}', '"gr\\u00f6"'])(
    'with the invalid level %s count as most severe',
    (level) => {
      expect(volume.isWantedBy(want('emergency'), log(level))).toBe(true);
    },
  );

  it('without a level count as most severe', () => {
    const silent = parseMessage('{"jsonrpc":"2.0","method":"notifications/message"}');
    expect(volume.isWantedBy(want('emergency'), silent)).toBe(true);
  });

  it('reach the owner of a connection at its own level', () => {
    const owner = new HandClient();
    expect(volume.isWantedByClient(owner, log('"debug"'))).toBe(false);
    expect(volume.isWantedByClient(owner, log('"info"'))).toBe(true);
    owner.logLevel = 'error';
    expect(volume.isWantedByClient(owner, log('"info"'))).toBe(false);
  });
});
