/** Headers of Streamable HTTP requests, and `Retry-After`. */

/** 2026-07-28 transports, "Standard Request Headers", and the tasks extension. */
export const NAMED_IN_HEADER: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/** Headers of a GET for a stream, resumed after the last event if one is given. */
export function streamHeaders(
  headers: Readonly<Record<string, string>>,
  lastEventId: string | undefined,
): Record<string, string> {
  const { 'content-type': _, ...rest } = headers;
  const own: Record<string, string> = { ...rest, accept: 'text/event-stream' };
  if (lastEventId !== undefined) own['last-event-id'] = lastEventId;
  return own;
}

const PLAIN_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** 2026-07-28 transports: other values than plain visible ASCII are sent as `=?base64?…?=`. */
export const encodeHeader = (value: string): string =>
  (value === '' || PLAIN_HEADER.test(value)) && !value.startsWith('=?base64?')
    ? value
    : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;

const SECONDS = /^\d{1,10}$/;
/** RFC 9110 "Date/Time Formats": all of them name the month and the time of day. */
const DATE = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/;

/** Reads `Retry-After` (RFC 9110): seconds, or a date. Returns undefined if it cannot be read. */
export function retryAfterMs(value: string | string[] | undefined, now: number): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const date = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export const inSeconds = (milliseconds: number): string => {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
};
