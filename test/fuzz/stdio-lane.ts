/** One `pincer stdio` that is sent line after line. */
import type { TestHub } from '../kit/hub.ts';
import { request } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { cut } from '../servers/json.ts';
import type { Lane } from './lane.ts';
import { createMessage } from './message.ts';
import { createRandom } from './random.ts';
import { FuzzFailure, faultOfAnswer, idOf } from './verdict.ts';

const BATCH = 50;
const ANSWER_MS = 30_000;
const NEWLINE = 0x0a;

export async function runStdioLane(hub: TestHub, lane: Lane): Promise<void> {
  const random = createRandom(lane.seed);
  await using client = hub.stdio();
  /** Ids that may be answered, by how often. */
  const open = new Map<string, number>();
  const owed = new Set<string>();
  let nulls = 0;
  let sent: Buffer[] = [];

  const check = (line: string): void => {
    if (line.includes('"method":"notifications/tools/list_changed"')) return;
    const fail = (what: string): FuzzFailure =>
      new FuzzFailure(what, lane.name, Buffer.concat(sent.flatMap((one) => [one, Buffer.from('\n')])), line);
    const fault = faultOfAnswer(line);
    if (fault !== undefined) throw fail(fault);
    const id = cut(line, 'id')!;
    owed.delete(id);
    if (id === 'null') {
      if (--nulls < 0) throw fail('more complaints than messages');
      return;
    }
    const times = open.get(id) ?? 0;
    if (times === 0) throw fail('an id that nobody sent, or a second answer');
    open.set(id, times - 1);
  };
  const drain = (): void => {
    while (client.untaken.length > 0) check(client.takeNow()!);
  };

  for (let index = 0; index < lane.messages;) {
    sent = [];
    for (let left = BATCH; left > 0 && index < lane.messages; left--, index++) {
      const message = createMessage(random, `"${lane.name}-${index}"`, lane.prefixes);
      for (const line of linesOf(message.bytes)) {
        const id = idOf(line);
        if (id === undefined) nulls++;
        else {
          open.set(id, (open.get(id) ?? 0) + 1);
          nulls++;
        }
      }
      if (message.isValid && message.origin.id !== undefined) owed.add(message.origin.id);
      sent.push(message.bytes);
      client.sendBytes(Buffer.concat([message.bytes, Buffer.from('\n')]));
      await lane.onMessage();
    }
    const ping = request('ping', '{}', `"${lane.name}-ping-${index}"`);
    await client.ask(ping);
    drain();
    const isQuiet = await eventually(
      () => {
        drain();
        return owed.size === 0;
      },
      ANSWER_MS,
      1,
    );
    if (!isQuiet)
      throw new FuzzFailure(`no answer to ${[...owed].join(' ')}`, lane.name, Buffer.concat(sent), '');
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}
