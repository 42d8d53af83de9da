/** Headers that Streamable HTTP wants of a client. Pure. */

/** 2026-07-28 transports, "Standard Request Headers"; and of the tasks extension. */
export const NAMED_IN_HEADER: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/** Of a GET: it asks for a stream, from the last event on where one is named. */
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

/** 2026-07-28 transports: a value that is no plain visible ASCII goes as `=?base64?…?=`. */
export const encodeHeader = (value: string): string =>
  (value === '' || PLAIN_HEADER.test(value)) && !value.startsWith('=?base64?')
    ? value
    : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
