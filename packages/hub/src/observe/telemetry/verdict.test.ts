import { describe, expect, it } from 'vitest';
import { judge } from './sender.ts';

const NOW = Date.UTC(2026, 9, 1, 12, 0, 0);
const answer = (status: number, body = '', retryAfter?: string): ReturnType<typeof judge> =>
  judge({ status, body, retryAfter }, NOW);

describe('judge', () => {
  it.each([
    [200, '{}', 0],
    [200, '{"partialSuccess":{}}', 0],
    [200, '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}', 3],
    [200, '{"partialSuccess":{"rejectedDataPoints":2}}', 2],
    [202, 'not JSON', 0],
    [200, '{"partialSuccess":{"rejectedSpans":"-5"}}', 0],
    [200, 'null', 0],
  ])('%i %s means taken, with %i rejected', (status, body, rejected) => {
    expect(answer(status, body)).toEqual({ kind: 'taken', rejected });
  });

  it.each([429, 502, 503, 504])('retries after %i, a second later', (status) => {
    expect(answer(status)).toEqual({ kind: 'later', waitMs: 1_000, reason: `status ${status}` });
  });

  it('obeys Retry-After up to a minute', () => {
    expect(answer(503, '', '7')).toMatchObject({ kind: 'later', waitMs: 7_000 });
    expect(answer(429, '', 'Thu, 01 Oct 2026 12:00:05 GMT')).toMatchObject({ kind: 'later', waitMs: 5_000 });
    expect(answer(429, '', 'Thu, 01 Oct 2026 11:00:00 GMT')).toMatchObject({ kind: 'later', waitMs: 0 });
    expect(answer(503, '', 'soon')).toMatchObject({ kind: 'later', waitMs: 1_000 });
    expect(answer(503, '', '3600')).toEqual({ kind: 'refused', reason: 'status 503' });
  });

  it.each([301, 307, 400, 401, 404, 413, 500])('does not retry after %i', (status) => {
    expect(answer(status, '', '1')).toEqual({ kind: 'refused', reason: `status ${status}` });
  });
});
