import { PincerError } from '../../core/errors.ts';
import { MARK_HEADER, WAIT_HEADER } from '../../core/protocol.ts';
import { toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import type { HubClient } from '../../client/hub-client.ts';
import { cancelledCall, lostCall, refusedCall } from './lost-call.ts';
import { readAnswer, readProgress, type Answer, type Progress } from './answer.ts';
import { findTool } from './find-tool.ts';

export interface Call {
  readonly server: string;
  readonly tool: string;
  /** JSON text of an object. */
  readonly argumentsText: string;
  readonly timeoutMs: number | undefined;
  /** By which the hub tells which question to a person is about this call. */
  readonly mark: string;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** After the time is over the hub cancels the call, and says what became of it: for that it is waited this long. */
const LAST_WORD_MS = 1_000;

/** The result's bytes; throws when there is none. */
export async function sendCall(hub: HubClient, call: Call): Promise<ByteText> {
  let answer = await sendOnce(hub, call);
  if ('failure' in answer && answer.failure.code === 'TOOL_UNKNOWN') {
    // A hub that has just started may not have asked this server yet. Asking for the tool makes it do so, or
    // tells what was meant; nothing ran, so the call may be sent again.
    await findTool(hub, call.server, call.tool);
    answer = await sendOnce(hub, call);
  }
  if ('failure' in answer) throw cancelledCall(answer.failure, call);
  return answer.result;
}

async function sendOnce(hub: HubClient, call: Call): Promise<Answer> {
  let answer: Answer | undefined;
  let events: SseReader | undefined;
  const onMessage = (message: ByteText): void => {
    const progress = readProgress(message);
    if (progress === undefined) answer ??= readAnswer(message);
    else call.onProgress?.(progress);
  };
  const sent = hub.postMcp(call.server, {
    accept: 'application/json, text/event-stream',
    body: toByteText(messageText(call)),
    headers: {
      [MARK_HEADER]: call.mark,
      ...(call.timeoutMs !== undefined && { [WAIT_HEADER]: String(call.timeoutMs) }),
    },
    ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs + LAST_WORD_MS }),
    onData(piece, { type }) {
      if (type !== 'text/event-stream') return;
      events ??= new SseReader({
        maxBytes: Number.POSITIVE_INFINITY,
        onEvent: ({ data }) => onMessage(data),
        onOverflow: () => undefined,
      });
      events.push(piece);
    },
  });
  const { status, type, body } = await sent.catch((error: unknown) => {
    throw lostCall(error, call);
  });
  if (status === 404) {
    const { explainServer } = await import('./explain.ts');
    throw await explainServer(hub, call.server, call.tool);
  }
  if (status !== 200) throw refusedCall(status, body);
  if (type === 'application/json') onMessage(body);
  if (answer !== undefined) return answer;
  throw lostCall(new PincerError('HUB_UNREACHABLE', 'The hub went away before it answered.'), call);
}

function messageText({ server: _server, tool, argumentsText, onProgress }: Call): string {
  const meta = onProgress === undefined ? '' : ',"_meta":{"progressToken":1}';
  const params = `{"name":${JSON.stringify(tool)},"arguments":${argumentsText}${meta}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}
