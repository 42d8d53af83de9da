/** A client is cut off at every byte that it sends and receives. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { differences } from '../kit/cuts.ts';
import { callWith, requestBytes, methodsIn } from '../kit/front-client.ts';
import {
  cutsIn,
  expectAll,
  expectNoneOpen,
  nextRuns,
  playersOf,
  tagAt,
  type Player,
} from '../kit/front-players.ts';
import { lineHead } from '../kit/line-client.ts';
import { callText, INITIALIZE, modernHeaders, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { openRawStream, type RawStream } from '../kit/raw-stream.ts';
import { expectIdle, startScriptedHub, type ScriptedHub } from '../kit/scripted-hub.ts';

const LEGACY = { era: 'legacy', body: 'sse', end: 'framed' } as const;
const MODERN = { era: 'modern', body: 'sse', end: 'framed' } as const;

let scripted: ScriptedHub;

beforeAll(async () => {
  scripted = await startScriptedHub({
    web: { manner: LEGACY, count: 16 },
    modern: { manner: MODERN, count: 16 },
  });
});
afterAll(async () => {
  await expectIdle(scripted.hub);
  await scripted[Symbol.asyncDispose]();
});

const players = (kind: 'web' | 'modern' = 'web'): Player[] => playersOf(scripted, kind);
const send = (bytes: string): Promise<RawStream> => openRawStream(scripted.hub.origin, bytes);
const postBytes = ({ path }: Player, body: string, lines: string[] = []): string =>
  requestBytes(scripted.hub, path, { verb: 'POST', body, lines });

/** Sends the bytes and then cuts the connection. */
async function sendAndLeave(bytes: string): Promise<void> {
  const stream = await send(bytes);
  stream.socket.destroy();
  await stream.until(() => false);
}

/** Cuts the connection after this many bytes have arrived. */
async function receiveAndLeave(bytes: string, at: number): Promise<string> {
  using stream = await send(bytes);
  await stream.until((received) => received.length >= at);
  return stream.received;
}

describe('a call with a plain answer', () => {
  const call = (player: Player): string => postBytes(player, callText('q'));

  it('does not run if it is cut while it is sent', async () => {
    await expectAll(players(), cutsIn(call(players()[0]!)), async (player, { at }) => {
      await sendAndLeave(call(player).slice(0, at));
      return nextRuns(player, [1]);
    });
  });

  it('does not run if its body ends early while the client waits', async () => {
    await expectAll(players(), cutsIn(call(players()[0]!)), async (player, { at }) => {
      using stream = await send(call(player).slice(0, at));
      stream.socket.end();
      await stream.until(() => false);
      return nextRuns(player, [1]);
    });
  });

  it('runs once if it is cut while it is answered', async () => {
    using whole = await send(call(players()[0]!));
    await whole.until((received) => received.endsWith('}'));
    await expectAll(players(), cutsIn(whole.received, true), async (player, { at }) => {
      await receiveAndLeave(call(player), at);
      // If the client disconnects at once, its call may not have been read.
      return nextRuns(player, at === 0 ? [1, 2] : [2]);
    });
  });
});

describe('a call whose stream cannot be resumed', () => {
  const META = '"progressToken":1,"io.modelcontextprotocol/logLevel":"error"';
  const modernCall = (player: Player, tag: string): string => {
    const lines = Object.entries(modernHeaders('tools/call', 't')).map((pair) => pair.join(': '));
    const args = `{"n":"${tag}"}`;
    return postBytes(player, callText('t', { era: 'modern', meta: META, args }), lines);
  };
  const legacyCall = (player: Player, tag: string): string => postBytes(player, callWith(tag));

  it.each([
    ['of a modern client at a modern server', 'modern', modernCall],
    ['of a modern client at a legacy server', 'web', modernCall],
    ['of a legacy client without a session', 'web', legacyCall],
  ] as const)('%s is cancelled with its connection', async (_what, kind, call) => {
    const all = players(kind);
    const hasMessages = (received: string): boolean => methodsIn(received).length === 2;
    const held = await heldBytes(all[0]!, call(all[0]!, 'size'), hasMessages);
    await expectAll(all, cutsIn(held, true), async (player, { at }) => {
      const { script } = player.lane;
      script.hold = () => {};
      await receiveAndLeave(call(player, tagAt(at)), at);
      // If the client disconnects at once, its call may not have been read.
      const runs = (): number => script.tags.get(tagAt(at)) ?? 0;
      if (at > 0 && !(await eventually(() => runs() === 1))) return ['did not run'];
      return nextRuns(player, [1]);
    });
    await expectNoneOpen(all);
  });
});

/** How many bytes a client receives of a call that the server holds. */
async function heldBytes(
  { lane }: Player,
  bytes: string,
  isAll: (received: string) => boolean,
): Promise<string> {
  lane.script.hold = () => {};
  using stream = await send(bytes);
  await stream.until(isAll);
  return stream.received;
}

describe('on the pipe of `pincer stdio`', () => {
  const head = ({ path }: Player): string => lineHead(scripted.hub, path);

  it('a call does not run if it is cut while it is sent', async () => {
    const bytes = (player: Player): string => `${head(player)}${callText('q')}\n`;
    await expectAll(players(), cutsIn(bytes(players()[0]!)), async (player, { at }) => {
      await sendAndLeave(bytes(player).slice(0, at));
      return nextRuns(player, [1]);
    });
  });

  it('a call is cancelled if its client disconnects while it is answered', async () => {
    const all = players();
    const bytes = (player: Player, tag: string): string => `${head(player)}${callWith(tag)}\n`;
    const isAll = (received: string): boolean => received.endsWith('\n') && received.includes('"level"');
    const held = await heldBytes(all[0]!, bytes(all[0]!, 'size'), isAll);
    await expectAll(all, cutsIn(held, true), async (player, { at }) => {
      const { script } = player.lane;
      script.hold = () => {};
      const received = await receiveAndLeave(bytes(player, tagAt(at)), at);
      // Until the client has received something, its call may not have been read.
      const runs = (): number => script.tags.get(tagAt(at)) ?? 0;
      if (received.includes('{') && !(await eventually(() => runs() === 1))) return ['did not run'];
      return nextRuns(player, [1]);
    });
    await expectNoneOpen(all);
  });

  it('a cut answer does not answer the question', async () => {
    const able = INITIALIZE.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}');
    const bytes = (player: Player): string => `${head(player)}${able}\n${callWith('0')}\n`;
    const answerTo = (received: string): string => {
      const id = /\{"jsonrpc":"2.0","id":("[^"]+"),"method":"elicitation/.exec(received)?.[1];
      return `{"jsonrpc":"2.0","id":${id},"result":{"action":"accept","content":{"v":"y"}}}\n`;
    };
    const whole = answerTo(`{"jsonrpc":"2.0","id":"${crypto.randomUUID()}","method":"elicitation/`);
    const all = players();
    await expectAll(all, cutsIn(whole), async (player, { at }) => {
      using stream = await send(bytes(player));
      await stream.until((received) => received.endsWith('\n') && received.includes('elicitation/create'));
      const answer = answerTo(stream.received).slice(0, at);
      await new Promise<void>((resolve) => stream.socket.write(answer, () => resolve()));
      stream.socket.destroy();
      const { script } = player.lane;
      if (!(await eventually(() => script.open.size === 0))) return ['was not cancelled'];
      const given = script.answers.includes('y') ? ['was answered'] : [];
      return [...given, ...(await nextRuns(player, [1]))];
    });
  });

  it('a call does not run if stdin ends within it', async () => {
    const line = `${callText('q')}\n`;
    await expectAll(players().slice(0, 4), cutsIn(line, true), async (player, { at }) => {
      await using program = scripted.hub.stdio(player.lane.name);
      program.sendBytes(Buffer.from(line.slice(0, at)));
      program.end();
      // Without its line break, the call is complete too.
      const isWhole = at >= line.length - 1;
      const answer = at === 0 ? undefined : parseAnswer(await program.take());
      const seen = { answer: answer?.error?.code ?? (answer && textOf(answer)), code: await program.exited };
      const wanted = { answer: [isWhole ? 'quick' : at === 0 ? undefined : -32700], code: [0] };
      return [...differences(seen, wanted), ...(await nextRuns(player, [isWhole ? 2 : 1]))];
    });
  });
});
