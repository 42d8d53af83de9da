/** Inspects a Node process from outside: forces garbage collection and reads its memory. */
import { once } from 'node:events';

export interface Memory {
  /** Bytes in use after a garbage collection. */
  heap: number;
  external: number;
}

export interface Inspector extends AsyncDisposable {
  memory(): Promise<Memory>;
}

/** `url` is the address that a process with `--inspect` prints: `ws://…`. */
export async function inspect(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let lastId = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async memory() {
      // Twice, because objects that finalizers release are collected in the second round.
      for (let round = 0; round < 2; round++) await ask('HeapProfiler.collectGarbage');
      const { result } = (await ask('Runtime.evaluate', {
        expression: '(({heapUsed, external}) => ({heap: heapUsed, external}))(process.memoryUsage())',
        returnByValue: true,
      })) as { result: { value: Memory } };
      return result.value;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}
