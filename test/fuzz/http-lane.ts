/** One keep-alive connection that sends message after message to POST /mcp or /mcp/<server>. */
import type { TestHub } from '../kit/hub.ts';
import { messagesIn } from '../kit/http.ts';
import { openRaw, type RawResponse, type RawSocket } from '../kit/raw-socket.ts';
import { headerLines, type HeaderFacts } from './headers.ts';
import type { Lane } from './lane.ts';
import { createMessage, type FuzzMessage } from './message.ts';
import { createRandom } from './random.ts';
import { FuzzFailure, faultOfAnswer, idOf } from './verdict.ts';
import { cut } from '../servers/json.ts';

const STATUSES = new Set([200, 202, 400, 401, 403, 404, 413, 415, 431]);

export async function runHttpLane(hub: TestHub, lane: Lane, session: string): Promise<void> {
  const random = createRandom(lane.seed);
  const facts: HeaderFacts = { host: new URL(hub.origin).host, token: hub.token, session };
  let raw: RawSocket | undefined;
  try {
    for (let index = 0; index < lane.messages; index++) {
      const message = createMessage(random, `"${lane.name}-${index}"`, lane.prefixes);
      const head = [
        `POST ${random.pick(lane.paths)} HTTP/1.1`,
        ...headerLines(random, message, facts),
        `content-length: ${message.bytes.length}`,
      ].join('\r\n');
      raw = raw === undefined || raw.isClosed ? await openRaw(hub.origin) : raw;
      raw.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), message.bytes]));
      const response = await raw.response();
      const fault = faultOfResponse(message, response);
      if (fault !== undefined)
        throw new FuzzFailure(
          fault,
          `${lane.name} message ${index}\n  head ${JSON.stringify(head.replace(hub.token, 'TOKEN'))}`,
          message.bytes,
          response === undefined ? '' : `${response.head}\n\n${response.body}`,
        );
      if (response === undefined || /^connection: close/im.test(response.head)) {
        await raw[Symbol.asyncDispose]();
        raw = undefined;
      }
      await lane.onMessage();
    }
  } finally {
    await raw?.[Symbol.asyncDispose]();
  }
}

function faultOfResponse(message: FuzzMessage, response: RawResponse | undefined): string | undefined {
  if (response === undefined) return message.isValid ? 'no answer to a valid message' : undefined;
  const { status, head, body } = response;
  if (!STATUSES.has(status)) return `status ${status}`;
  const type = /^content-type: *(.*)$/im.exec(head)?.[1] ?? '';
  const text = Buffer.from(body, 'latin1').toString('utf8');
  if (status === 202) return body.replaceAll(/[\r\n0]/g, '') === '' ? undefined : '202 with a body';
  if (!/json|event-stream/.test(type)) return message.isValid ? 'no JSON' : undefined;
  const answer = messagesIn(text, type).at(-1) ?? '';
  const fault = faultOfAnswer(answer);
  if (fault !== undefined) return fault;
  const id = cut(answer, 'id');
  if (message.isValid && message.origin.id !== undefined)
    return id === message.origin.id ? undefined : 'another id than the asker gave';
  return id === 'null' || id === idOf(message.bytes) ? undefined : 'an id that nobody sent';
}
