/** A client with a legacy session is cut off at every byte of a stream, reconnects and receives the rest. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { differences } from '../kit/cuts.ts';
import { answersTo, FrontClient, CALL_MESSAGES, methodsIn } from '../kit/front-client.ts';
import { cutsIn, expectAll, playersOf, type Player } from '../kit/front-players.ts';
import { eventually } from '../kit/processes.ts';
import { hasEnded, lastIdIn, openRawStream } from '../kit/raw-stream.ts';
import { expectIdle, startScriptedHub, type ScriptedHub } from '../kit/scripted-hub.ts';

/** In this version each stream begins with an event without data; in older versions it begins with the first message. */
const LATEST = '2025-11-25';
const OLDER = '2025-06-18';

let scripted: ScriptedHub;
/** What a client receives without a cut. */
let whole: string;
/** Where the first event ends. */
let primed: number;

beforeAll(async () => {
  const manner = { era: 'legacy', body: 'sse', end: 'framed' } as const;
  scripted = await startScriptedHub({ web: { manner, count: 16 } });
  whole = await uncut(LATEST);
  primed = whole.indexOf('\n\n') + 2;
});
afterAll(async () => {
  await expectIdle(scripted.hub);
  await scripted[Symbol.asyncDispose]();
});

const players = (): Player[] => playersOf(scripted, 'web');
const begin = ({ path, connection }: Player, version = LATEST): Promise<FrontClient> =>
  FrontClient.begin(scripted.hub, connection, path, version);

async function uncut(version: string): Promise<string> {
  const client = await begin(players()[0]!, version);
  const received = await client.read(await client.call());
  expect(methodsIn(received)).toEqual(CALL_MESSAGES);
  return received;
}

/** Where the chunk with the question begins. */
const questionIn = (received: string): number =>
  received.lastIndexOf('\n\n\r\n', received.indexOf('elicitation/create')) + 4;

/** Checks that all messages arrived once and in order, and that the call ran once. */
async function check({ lane }: Player, client: FrontClient, received: string[]): Promise<string[]> {
  await client.end();
  const seen = { told: received.flatMap(methodsIn), ran: lane.script.times('call') };
  return differences(seen, { told: [CALL_MESSAGES], ran: [1] });
}

async function sendAndLeave(bytes: string): Promise<void> {
  const stream = await openRawStream(scripted.hub.origin, bytes);
  stream.socket.destroy();
  await stream.until(() => false);
}

it.each([
  ['while the client is away', true, LATEST],
  ['when the client is back', false, LATEST],
  ['when a client of an older version is back', false, OLDER],
])('sends the rest once if it arrives %s', async (_when, isAway, version) => {
  const all = await uncut(version);
  await expectAll(players(), cutsIn(all, true), async (player, { at }) => {
    const { script } = player.lane;
    const client = await begin(player, version);
    let goOn = (): void => {};
    if (at <= questionIn(all)) script.hold = (rest) => (goOn = rest);
    const first = await client.read(await client.call(), at);
    const lastId = lastIdIn(first);
    if (lastId === undefined) return giveUp(player, client, at);
    const proceed = async (): Promise<void> => {
      goOn();
      await client.answer(first);
    };
    if (isAway) await proceed();
    const rest = await client.resume(lastId);
    await rest.until((received) => received.includes('\r\n\r\n'));
    if (!isAway) await proceed();
    return check(player, client, [first, await client.read(rest)]);
  });
});

/** A client without an event id to resume from ends its session, which cancels the call. */
async function giveUp({ lane }: Player, client: FrontClient, at: number): Promise<string[]> {
  const { script } = lane;
  // If the client disconnects at once, its call may not have been read.
  if (at > 0 && !(await eventually(() => script.times('call') === 1))) return ['never ran'];
  await client.end();
  return (await eventually(() => script.open.size === 0)) ? [] : ['was not cancelled'];
}

it('sends the rest once if the resumed stream is cut too', async () => {
  const measured = await begin(players()[0]!);
  await measured.read(await measured.call(), primed);
  const rest = await measured.read(await measured.resume('1_0'));
  await expectAll(players(), cutsIn(rest, true), async (player, { at }) => {
    const client = await begin(player);
    const first = await client.read(await client.call(), primed);
    const second = await client.read(await client.resume('1_0'), at);
    if (hasEnded(second)) return check(player, client, [first, second]);
    await client.answer(second);
    const third = await client.read(await client.resume(lastIdIn(second) ?? '1_0'));
    return check(player, client, [first, second, third]);
  });
});

it('sends the rest once if the request to resume is cut', async () => {
  const bytes = (await begin(players()[0]!)).resumeBytes('1_0');
  await expectAll(players(), cutsIn(bytes), async (player, { at }) => {
    const client = await begin(player);
    const first = await client.read(await client.call(), primed);
    await sendAndLeave(client.resumeBytes('1_0').slice(0, at));
    return check(player, client, [first, await client.read(await client.resume('1_0'))]);
  });
});

it('keeps a question open if the client is cut off while it answers', async () => {
  const bytes = (await begin(players()[0]!)).bytes('POST', answersTo(whole)[0]);
  await expectAll(players(), cutsIn(bytes), async (player, { at }) => {
    const client = await begin(player);
    using stream = await client.call();
    await stream.until((received) => answersTo(received).length === 1);
    await sendAndLeave(client.bytes('POST', answersTo(stream.received)[0]).slice(0, at));
    const early = player.lane.script.answers.length > 0 ? ['was answered'] : [];
    return [...early, ...(await check(player, client, [await client.read(stream)]))];
  });
});

it('cancels a call whose client does not reconnect', async () => {
  const [player] = players();
  player!.lane.script.forget();
  const client = await begin(player!);
  await client.read(await client.call(), primed);
  expect(await eventually(() => player!.lane.script.times('call') === 1)).toBe(true);
  expect(await eventually(() => player!.lane.script.open.size === 0)).toBe(true);
});
