/** Another caller at work on another server, all the while. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestHub } from '../kit/hub.ts';
import { callText, parseAnswer } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';

const EVERY_MS = 10;

export const busyServer = (): object =>
  stdioServer(
    { tools: ['echo', 'slow', 'sink', 'progress'], count: 20 },
    { toolPrefix: 'busy', policy: { '*': 'allow', sink: 'deny' } },
  );

export interface BusyCaller extends AsyncDisposable {
  /** Ends it; how many calls were answered, and the first answer that was wrong. */
  stop(): Promise<{ calls: number; wrong: string | undefined }>;
}

export async function startBusyCaller(hub: TestHub): Promise<BusyCaller> {
  const { value } = await hub.control('POST', 'tokens', { name: 'busy', servers: ['busy'] });
  const connection = hub.connect((value as { token: string }).token);
  const stopping = new AbortController();
  let calls = 0;
  let wrong: string | undefined;
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const message = `call ${++calls}`;
      const { body, messages } = await connection.post(
        callText('busy__echo', { id: String(calls), args: JSON.stringify({ message }) }),
      );
      const answer = parseAnswer(messages.at(-1) ?? 'null');
      if (!JSON.stringify(answer).includes(message)) wrong ??= body;
      await sleep(EVERY_MS);
    }
  };
  const done = work().catch((error: unknown) => void (wrong ??= String(error)));
  const stop: BusyCaller['stop'] = async () => {
    stopping.abort();
    await done;
    return { calls, wrong };
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
