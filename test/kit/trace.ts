/**
 * Which files of the hub a call passes through. The hub runs unbundled, under the inspector. It is paused when it
 * begins to read the request, each time that it sends bytes of the call, and when it starts a program for it. At each
 * pause the call stack is read, including the stacks that led to it across callbacks and promises.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Walk {
  /** Files on the stack at one of the pauses, in the order in which the call reaches them. */
  readonly passed: readonly string[];
  /** Files in which any function ran, by V8's coverage. Includes files that the call only uses, such as the clock. */
  readonly used: readonly string[];
}

export interface Tracer extends Disposable {
  walkOf(work: () => Promise<unknown>): Promise<Walk>;
}

interface AsyncFrames {
  readonly callFrames: readonly { readonly scriptId: string }[];
  readonly parent?: AsyncFrames;
}
interface Paused {
  readonly callFrames: readonly { readonly location: { readonly scriptId: string } }[];
  readonly asyncStackTrace?: AsyncFrames;
}
interface Script {
  readonly scriptId: string;
  readonly url: string;
}
interface Coverage {
  readonly result: readonly { url: string; functions: readonly { ranges: readonly { count: number }[] }[] }[];
}

const WARM_UP = 5;
const RUNS = 8;
const PAUSED_RUNS = 4;
const DEPTH = 64;

/** Where a process begins to read a request, writes to a socket or a pipe, and starts a program. */
const MOMENTS = [
  `process.getBuiltinModule('stream').Readable.prototype.on`,
  `process.getBuiltinModule('net').Socket.prototype._writeGeneric`,
  `process.getBuiltinModule('child_process').ChildProcess.prototype.spawn`,
];

/** @param url The inspector's address. @param root The folder of the compiled files. */
export async function attachTracer(url: string, root: string): Promise<Tracer> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let lastId = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  const scripts = new Map<string, string>();
  let stacks: string[][] = [];
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number;
      result?: unknown;
      method?: string;
      params?: unknown;
    };
    const { id, result, method, params } = message;
    if (id !== undefined) waiting.get(id)?.(result);
    if (method === 'Debugger.scriptParsed') {
      const { scriptId, url: address } = params as Script;
      scripts.set(scriptId, address);
    }
    if (method !== 'Debugger.paused') return;
    stacks.push(filesOn(params as Paused));
    void send('Debugger.resume');
  });
  const send = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });

  const fileOf = (address: string): string | undefined => {
    if (!address.startsWith('file:')) return undefined;
    const path = relative(root, fileURLToPath(address));
    return path.startsWith('..') ? undefined : path.replace(/\.js$/, '.ts');
  };

  /** The outermost frame first. */
  function filesOn({ callFrames, asyncStackTrace }: Paused): string[] {
    const ids = callFrames.map(({ location }) => location.scriptId);
    for (let part = asyncStackTrace; part !== undefined; part = part.parent)
      ids.push(...part.callFrames.map(({ scriptId }) => scriptId));
    return ids.toReversed().flatMap((id) => fileOf(scripts.get(id) ?? '') ?? []);
  }

  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  /** Files that ran since the last call of this function. */
  async function ran(): Promise<Set<string>> {
    const { result } = (await send('Profiler.takePreciseCoverage')) as Coverage;
    const covered = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0));
    return new Set(covered.flatMap((script) => fileOf(script.url) ?? []));
  }

  /** Keeps only files that ran each time, because other work of the hub may run beside the call. */
  async function usedBy(work: () => Promise<unknown>): Promise<string[]> {
    let common: Set<string> | undefined;
    for (let run = 0; run < RUNS; run++) {
      await ran();
      await work();
      const now = await ran();
      common = common === undefined ? now : new Set([...common].filter((file) => now.has(file)));
    }
    return [...common!].toSorted();
  }

  /** Keeps only files that were passed each time, because other timers of the hub fire beside the call. */
  async function passedBy(work: () => Promise<unknown>): Promise<string[]> {
    await send('Debugger.enable');
    await send('Debugger.setAsyncCallStackDepth', { maxDepth: DEPTH });
    for (const moment of MOMENTS) {
      const { result } = (await send('Runtime.evaluate', { expression: moment })) as {
        result: { objectId: string };
      };
      await send('Debugger.setBreakpointOnFunctionCall', { objectId: result.objectId });
    }
    let common: string[] | undefined;
    for (let run = 0; run < PAUSED_RUNS; run++) {
      stacks = [];
      await work();
      const passed = new Set(stacks.flat());
      common = common === undefined ? [...passed] : common.filter((file) => passed.has(file));
    }
    await send('Debugger.disable');
    return common!;
  }

  return {
    async walkOf(work) {
      for (let run = 0; run < WARM_UP; run++) await work();
      const used = await usedBy(work);
      return { used, passed: await passedBy(work) };
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
