import { describe, expect, it } from 'vitest';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import type { OrderListener, UserQuestions } from '../backend.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { followQuestions, NO_ANSWER, type FollowedQuestions } from './questions.ts';

const res = (id: string, payload: unknown): string => JSON.stringify({ type: 'res', id, ok: true, payload });
const refusal = (id: string): string =>
  JSON.stringify({ type: 'res', id, ok: false, error: { code: 'INVALID_REQUEST', message: 'no' } });
const event = (name: string, payload: object): string =>
  JSON.stringify({ type: 'event', event: name, payload });
const hello = {
  server: { version: 'x', bootId: 'boot' },
  auth: { scopes: [] },
  policy: { maxPayload: 60_000, tickIntervalMs: 30_000 },
};

const RUN = { runId: 'r1', sessionKey: () => 'agent:main:k' };
const OPTIONS = [{ label: 'Staging' }, { label: 'Production' }];
const record = (id: string, runId = 'r1', changes: object = {}) => ({
  id,
  runId,
  agentId: 'main',
  questions: [
    {
      questionId: 'target',
      header: 'Deploy',
      question: `${id}?`,
      options: OPTIONS,
      isOther: true,
      ...changes,
    },
  ],
});
const asked = (...of: Parameters<typeof record>): string => event('question.requested', record(...of));
const over = (id: string): string => event('question.resolved', { id, status: 'expired' });

type Answer = NonNullable<OrderListener['answer']>;

interface Scene extends AsyncDisposable {
  readonly hand: HandGateway;
  readonly orders: Gateway;
  follow(answer: Answer | undefined): FollowedQuestions;
  /** The answers as the gateway received them. */
  answers(): object[];
  /** Makes the gateway send frames. */
  tell(...frames: string[]): Promise<void>;
}

interface World {
  /** The result of `question.list`. */
  open?: () => readonly object[];
  presence?: readonly object[];
  answer?: (request: HandRequest) => readonly string[] | undefined;
}

async function scene({ open = () => [], presence = [], answer }: World = {}): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(temporaryFolder('questions')).path;
  const usual = ({ id, method, params }: HandRequest): readonly string[] => {
    if (method === 'question.list') return [res(id, { questions: open() })];
    if (method === 'system-presence') return [res(id, presence)];
    if (method === 'tell') return [...(params as { frames: string[] }).frames, res(id, {})];
    return [res(id, { ok: true })];
  };
  const hand = stack.use(
    await openHandGateway(
      (id) => [res(id, hello)],
      (request) => answer?.(request) ?? usual(request),
    ),
  );
  const orders = createGateway({
    find: () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home),
  });
  stack.use(orders.hold());
  stack.defer(() => orders.close());
  const all = stack.move();
  return {
    hand,
    orders,
    follow: (reply) => followQuestions(orders, RUN, reply),
    answers: () =>
      hand.requests.filter(({ method }) => method === 'question.resolve').map(({ params }) => params),
    async tell(...frames) {
      await (await orders.connect()).request('tell', { frames });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const says =
  (reply: Awaited<ReturnType<Answer>>, received: UserQuestions[] = []): Answer =>
  async (questions) => {
    received.push(questions);
    return reply;
  };

/** Is asked, and never answers. */
const waits =
  (received: UserQuestions[]): Answer =>
  (questions) => {
    received.push(questions);
    return new Promise(() => undefined);
  };

const textsOf = (received: readonly UserQuestions[]) =>
  received.map(({ questions }) => questions.map(({ text }) => text).join());

const STAGING = { target: ['Staging'] };
const by = 'Pincer';
const skipped = (id: string): object => ({ id, cancel: true, resolvedBy: by });
const answeredWith = (id: string, answers: object): object => ({ id, answers: { answers }, resolvedBy: by });
const unanswered = (id: string): object => answeredWith(id, { target: [NO_ANSWER] });

describe('question', () => {
  it('is asked, and its answer is sent once', async () => {
    const received: UserQuestions[] = [];
    await using at = await scene();
    const followed = at.follow(says(STAGING, received));
    await at.tell(asked('a1'), asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    await at.tell(over('a1'), asked('a1'));
    await at.tell();
    expect(at.answers()).toEqual([answeredWith('a1', STAGING)]);
    expect(received).toMatchObject([{ agentId: 'main', questions: [{ id: 'target', text: 'a1?' }] }]);
    followed.off();
  });

  it('is not asked if it belongs to another run', async () => {
    const received: UserQuestions[] = [];
    await using at = await scene();
    const followed = at.follow(says(STAGING, received));
    await at.tell(asked('other', 'r2'), asked('mine'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(textsOf(received)).toEqual(['mine?']);
    expect(at.answers()).toEqual([answeredWith('mine', STAGING)]);
    followed.off();
  });

  it('is neither asked nor answered after it was resolved elsewhere', async () => {
    const received: UserQuestions[] = [];
    await using at = await scene();
    const followed = at.follow(waits(received));
    await at.tell(asked('a1'), asked('a2'));
    await at.tell(over('a1'));
    expect(received.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    followed.off();
    expect(received.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(at.answers()).toEqual([]);
  });

  it('is skipped if the person declines', async () => {
    await using at = await scene();
    const followed = at.follow(says('declined'));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([skipped('a1')]);
    followed.off();
  });

  it('is skipped if the gateway rejects the answer', async () => {
    await using at = await scene({
      answer: ({ id, method, params }) =>
        method === 'question.resolve' && 'answers' in params ? [refusal(id)] : undefined,
    });
    const followed = at.follow(says(STAGING));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 1)).toBe(true);
    expect(at.answers()).toEqual([answeredWith('a1', STAGING), skipped('a1')]);
    followed.off();
  });
});

describe('without an answer', () => {
  const UI = [{ clientId: 'openclaw-control-ui', scopes: ['operator.admin'], reason: 'connect' }];

  it.each<[string, Answer | undefined]>([
    ['there is no client to ask', undefined],
    ['the client does not answer', says(undefined)],
    ['asking fails', () => Promise.reject(new Error('no'))],
  ])('the agent is told at once if %s', async (_, answer) => {
    await using at = await scene();
    const followed = at.follow(answer);
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([unanswered('a1')]);
    followed.off();
  });

  it.each([
    ['accepts no free text', { isOther: false }],
    ['would read free text as the value of a field', { options: [] }],
    ['is a secret', { options: [], isSecret: true }],
  ])('a question that %s is skipped', async (_, changes) => {
    await using at = await scene();
    const followed = at.follow(undefined);
    await at.tell(asked('a1', 'r1', changes));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([skipped('a1')]);
    followed.off();
  });

  it.each<[string, Answer | undefined, object]>([
    ['there is no client to ask', undefined, {}],
    ['it is a secret', () => expect.fail('It was asked.'), { isSecret: true }],
  ])('the question is left to another window of OpenClaw if %s', async (_, answer, changes) => {
    await using at = await scene({ presence: UI });
    const followed = at.follow(answer);
    await at.tell(asked('a1', 'r1', changes));
    expect(await eventually(() => at.hand.requests.some(({ method }) => method === 'system-presence'))).toBe(
      true,
    );
    // An answer would have arrived before the second of these.
    await at.tell();
    await at.tell();
    expect(at.answers()).toEqual([]);
    followed.off();
  });

  it('the agent is told at once if the person closed the form', async () => {
    await using at = await scene({ presence: UI });
    const followed = at.follow(says(undefined));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([unanswered('a1')]);
    followed.off();
  });
});

describe('lost connection', () => {
  it('is reopened, and reads what was asked or answered meanwhile', async () => {
    const received: UserQuestions[] = [];
    await using at = await scene({ open: () => [record('after'), record('other', 'r2')] });
    const followed = at.follow(waits(received));
    await at.tell(asked('before'));
    (await at.orders.connect()).close();
    expect(await eventually(() => received.length === 2)).toBe(true);
    expect(textsOf(received)).toEqual(['before?', 'after?']);
    expect(received.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    followed.off();
  });

  it('does not lose an answer', async () => {
    let lost = false;
    await using at = await scene({
      open: () => [record('a1')],
      answer({ method }) {
        if (method !== 'question.resolve' || lost) return undefined;
        lost = true;
        for (const connection of at.hand.connections) connection.destroy();
        return [];
      },
    });
    const followed = at.follow(says(STAGING));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length === 2)).toBe(true);
    expect(at.answers()).toEqual([answeredWith('a1', STAGING), answeredWith('a1', STAGING)]);
    followed.off();
  });
});
