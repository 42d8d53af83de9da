/** Sends bytes to a listener and reads its answers. */
import { openRaw, type RawResponse } from '../../raw-socket.ts';
import { openRawStream } from '../../raw-stream.ts';

export interface Refused {
  /** The status of each answer, in order. */
  statuses: number[];
  /** All bytes received. */
  received: string;
}

/** Sends until the connection has ended. The test ends it as soon as an answer arrives. */
export async function provoke(origin: string, text: string, isHalf: boolean): Promise<Refused> {
  using stream = await openRawStream(origin, text);
  if (isHalf) stream.socket.end();
  await stream.until((received) => finalHead(received) !== undefined);
  // An event stream would never end.
  if (!/^content-type: text\/event-stream/im.test(finalHead(stream.received) ?? '')) {
    stream.socket.end();
    await stream.until(() => false);
  }
  const statuses = [...stream.received.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) =>
    Number(status),
  );
  return { statuses: statuses.filter((status) => status !== 100), received: stream.received };
}

/** The first head that is not `100 Continue`. */
const finalHead = (received: string): string | undefined =>
  received.split('\r\n\r\n').find((part, index, parts) => {
    const isWhole = index < parts.length - 1;
    return isWhole && /^HTTP\/1\.[01] [2-5]/.test(part);
  });

/** Waits for `count` answers and returns them. */
export async function converse(origin: string, text: string, count: number): Promise<RawResponse[]> {
  await using raw = await openRaw(origin);
  raw.write(text);
  const responses: RawResponse[] = [];
  while (responses.length < count) {
    const next = await raw.response();
    if (next === undefined) break;
    if (next.status !== 100) responses.push(next);
  }
  return responses;
}
