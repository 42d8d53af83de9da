import { describe, expect, it } from 'vitest';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import type { AgentQuestion } from '../backend.ts';
import { followApprovals, type FollowedApprovals } from './approvals.ts';
import { createGateway, createReviewer, type Gateway } from './gateway.ts';

const res = (id: string, payload: unknown): string => JSON.stringify({ type: 'res', id, ok: true, payload });
const event = (name: string, payload: object): string =>
  JSON.stringify({ type: 'event', event: name, payload });
const hello = {
  server: { version: 'x', bootId: 'boot' },
  auth: { scopes: [] },
  policy: { maxPayload: 60_000, tickIntervalMs: 30_000 },
};

const RUN = { runId: 'r1', sessionKey: () => 'agent:main:k' };
const approval = (id: string, runId = 'r1') => ({
  id,
  request: { command: `echo ${id}`, agentId: 'main', runId, allowedDecisions: ['allow-once', 'deny'] },
});
const asked = (id: string, runId?: string): string => event('exec.approval.requested', approval(id, runId));
const decided = (id: string): string => event('exec.approval.resolved', { id, decision: 'deny' });

type Ask = (question: AgentQuestion) => Promise<string | undefined>;

interface Scene extends AsyncDisposable {
  readonly hand: HandGateway;
  readonly orders: Gateway;
  readonly reviewer: Gateway;
  /** Resolves when it is connected, if a person can be asked. */
  follow(ask: Ask | undefined): Promise<FollowedApprovals>;
  /** The decisions as the gateway received them. */
  answers(): object[];
  /** Makes the gateway send frames on the reviewer connection. */
  tell(...frames: string[]): Promise<void>;
}

interface World {
  /** The result of `exec.approval.list`. */
  open?: () => readonly object[];
  presence?: readonly object[];
  answer?: (request: HandRequest) => readonly string[] | undefined;
}

async function scene({ open = () => [], presence = [], answer }: World = {}): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(temporaryFolder('approvals')).path;
  const usual = ({ id, method, params }: HandRequest): readonly string[] => {
    if (method === 'exec.approval.list') return [res(id, open())];
    if (method === 'plugin.approval.list') return [res(id, [])];
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
  const find = () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' });
  const identity = () => openIdentity(home);
  const orders = createGateway({ find, identity });
  const reviewer = createReviewer({ find, identity });
  stack.defer(() => {
    orders.close();
    reviewer.close();
  });
  const all = stack.move();
  return {
    hand,
    orders,
    reviewer,
    async follow(ask) {
      const lists = () => hand.requests.filter(({ method }) => method === 'plugin.approval.list').length;
      const before = lists();
      const followed = followApprovals({ orders, reviewer }, RUN, ask);
      expect(ask === undefined || (await eventually(() => lists() > before))).toBe(true);
      return followed;
    },
    answers: () =>
      hand.requests.filter(({ method }) => method.endsWith('resolve')).map(({ params }) => params),
    async tell(...frames) {
      using _held = reviewer.hold();
      await (await reviewer.connect()).request('tell', { frames });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const says =
  (decision: string | undefined, received: AgentQuestion[] = []): Ask =>
  async (question) => {
    received.push(question);
    return decision;
  };

/** Is asked, and never answers. */
const waits =
  (received: AgentQuestion[]): Ask =>
  (question) => {
    received.push(question);
    return new Promise(() => undefined);
  };

describe('approval', () => {
  it('is asked for, and the decision is sent once', async () => {
    const received: AgentQuestion[] = [];
    await using at = await scene();
    const followed = await at.follow(says('allow-once', received));
    await at.tell(asked('a1'), asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    await at.tell(decided('a1'), asked('a1'));
    await at.tell();
    expect(at.answers()).toEqual([{ id: 'a1', decision: 'allow-once' }]);
    expect(received).toMatchObject([
      { detail: 'Agent: main\nCommand: echo a1', decisions: ['allow-once', 'deny'] },
    ]);
    followed.off();
  });

  it('is not asked for if it belongs to another run', async () => {
    const received: AgentQuestion[] = [];
    await using at = await scene();
    const followed = await at.follow(says('allow-once', received));
    await at.tell(asked('other', 'r2'), asked('mine'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(received.map(({ detail }) => detail)).toEqual(['Agent: main\nCommand: echo mine']);
    expect(at.answers()).toEqual([{ id: 'mine', decision: 'allow-once' }]);
    followed.off();
  });

  it('is neither asked for nor answered after it was decided elsewhere', async () => {
    const received: AgentQuestion[] = [];
    await using at = await scene();
    const followed = await at.follow(waits(received));
    await at.tell(asked('a1'));
    await at.tell(decided('a1'));
    expect(received.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(at.answers()).toEqual([]);
    followed.off();
  });

  it('is withdrawn when the run has ended, and the reviewer connection closes', async () => {
    const received: AgentQuestion[] = [];
    await using at = await scene();
    const followed = await at.follow(waits(received));
    await at.tell(asked('a1'));
    followed.off();
    expect(received.map(({ signal }) => signal.aborted)).toEqual([true]);
    // The connection of orders stays open.
    expect(await eventually(() => at.hand.connections.size === 1)).toBe(true);
    expect(at.answers()).toEqual([]);
  });
});

describe('without a decision here', () => {
  it('the safest decision is sent, so that nothing waits', async () => {
    await using at = await scene();
    const followed = await at.follow(says(undefined));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([{ id: 'a1', decision: 'deny' }]);
    followed.off();
  });

  it('a failed question and an invalid decision count as a denial', async () => {
    await using at = await scene();
    const failed = await at.follow(() => Promise.reject(new Error('no')));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    failed.off();
    const odd = await at.follow(says('allow-always'));
    await at.tell(asked('a2'));
    expect(await eventually(() => at.answers().length > 1)).toBe(true);
    odd.off();
    expect(at.answers()).toEqual([
      { id: 'a1', decision: 'deny' },
      { id: 'a2', decision: 'deny' },
    ]);
  });

  it('it is left to another window of OpenClaw that shows it', async () => {
    const presence = [{ clientId: 'openclaw-control-ui', scopes: ['operator.admin'], reason: 'connect' }];
    await using at = await scene({ presence });
    const isLooked = () => at.hand.requests.some(({ method }) => method === 'system-presence');
    const followed = await at.follow(says(undefined));
    await at.tell(asked('a1'));
    expect(await eventually(isLooked)).toBe(true);
    // An answer would have arrived before this.
    await at.tell();
    expect(at.answers()).toEqual([]);
    followed.off();
  });

  it('no reviewer connection is opened if there is no client to ask', async () => {
    await using at = await scene();
    const followed = await at.follow(undefined);
    await followed.ready;
    // This connects, and everything that was started before has connected by then.
    await at.tell();
    expect(at.hand.requests.map(({ method }) => method)).toEqual(['connect', 'tell']);
    expect(await eventually(() => at.hand.connections.size === 0)).toBe(true);
    // Another order has a reviewer connection.
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length > 0)).toBe(true);
    expect(at.answers()).toEqual([{ id: 'a1', decision: 'deny' }]);
    followed.off();
  });
});

describe('lost reviewer connection', () => {
  it('is reopened, and reads what was asked or decided meanwhile', async () => {
    const received: AgentQuestion[] = [];
    let open = [approval('before')];
    await using at = await scene({ open: () => open });
    const followed = await at.follow(waits(received));
    expect(await eventually(() => received.length === 1)).toBe(true);
    open = [approval('after')];
    (await at.reviewer.connect()).close();
    expect(await eventually(() => received.length === 2)).toBe(true);
    expect(received.map(({ detail, signal }) => [detail, signal.aborted])).toEqual([
      ['Agent: main\nCommand: echo before', true],
      ['Agent: main\nCommand: echo after', false],
    ]);
    followed.off();
  });

  it('does not lose a decision', async () => {
    let lost = false;
    await using at = await scene({
      answer({ method }) {
        if (method !== 'exec.approval.resolve' || lost) return undefined;
        lost = true;
        for (const connection of at.hand.connections) connection.destroy();
        return [];
      },
    });
    const followed = await at.follow(says('allow-once'));
    await at.tell(asked('a1'));
    expect(await eventually(() => at.answers().length === 2)).toBe(true);
    expect(at.answers()).toEqual([
      { id: 'a1', decision: 'allow-once' },
      { id: 'a1', decision: 'allow-once' },
    ]);
    followed.off();
  });
});

describe('reviewer connection', () => {
  it('is open before anything is ordered, unless that is impossible', async () => {
    await using at = await scene();
    const followed = followApprovals(at, RUN, says('deny'));
    await followed.ready;
    expect(at.hand.connections.size).toBe(2);
    followed.off();
    at.orders.close();
    await followApprovals(at, RUN, says('deny')).ready;
  });

  it('has only the scope for approvals, and receives only questions', async () => {
    await using at = await scene();
    const followed = await at.follow(says('deny'));
    const connects = () => at.hand.requests.filter(({ method }) => method === 'connect');
    expect(await eventually(() => connects().length === 2)).toBe(true);
    const [orders, reviewer] = connects().map(({ params }) => params);
    expect(reviewer).toMatchObject({
      scopes: ['operator.approvals'],
      caps: ['exec-approvals', 'plugin-approvals'],
    });
    // With these capabilities, every run of the gateway would wait for this connection.
    expect(orders).toMatchObject({ caps: ['tool-events'] });
    followed.off();
  });
});
