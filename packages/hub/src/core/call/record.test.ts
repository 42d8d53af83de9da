import { describe, expect, it } from 'vitest';
import { eventRecord, isEvent } from './record.ts';

const CREATED = { at: 5, caller: 'web', app: 'web', session: 'ab12', method: 'sessions/create' } as const;

describe('an event of an app', () => {
  it('is a row of the record', () => {
    expect(eventRecord({ ...CREATED, outcome: 'ok', argumentBytes: 120, durationMs: 3 })).toEqual({
      at: 5,
      caller: 'web',
      surface: 'proxy',
      server: 'web',
      method: 'sessions/create',
      tool: '',
      outcome: 'ok',
      code: undefined,
      durationMs: 3,
      arguments: undefined,
      session: 'ab12',
      argumentBytes: 120,
    });
  });

  it('is told apart from calls, including calls of the app’s tools', () => {
    expect(isEvent(eventRecord({ ...CREATED, outcome: 'not_executed', code: 'RATE_LIMITED' }))).toBe(true);
    expect(isEvent({ surface: 'proxy', method: 'tools/call' })).toBe(false);
    expect(isEvent({ surface: 'http', method: 'sessions/create' })).toBe(false);
  });
});
