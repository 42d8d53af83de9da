/** How long a server wants to be left alone. Pure. */

const SECONDS = /^\d{1,10}$/;
/** RFC 9110 "Date/Time Formats": all of them name the month and the time of day. */
const DATE = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/;

/** What `Retry-After` says (RFC 9110): seconds, or a date. Undefined: nothing that can be read. */
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
