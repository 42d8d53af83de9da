import { describe, expect, it } from 'vitest';
import {
  eventText,
  finalText,
  refusalText,
  responseText,
  welcomeText,
} from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { runTurn, type TurnOrder } from './turn.ts';

/** A gateway where the turn `theirs` of another client runs until it is waited for. */
interface Busy extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly hand: HandGateway;
  /** The run ids under which the message was sent. */
  readonly sent: readonly string[];
  methods(): string[];
}

interface Scene {
  /** Whether the agent reads the queued message before it is withdrawn. */
  readonly isRead?: boolean;
  /** Whether the other turn never ends. */
  readonly isEndless?: boolean;
  /** Whether an event reports that the message is queued. */
  readonly isTold?: boolean;
  /** How often the gateway refuses the message because the conversation has changed. */
  readonly moves?: number;
}

const MOVED =
  'SessionMutationAuthorizationChangedError: session changed before chat.send; retry the request.';

async function busy({
  isRead = false,
  isEndless = false,
  isTold = true,
  moves = 0,
}: Scene = {}): Promise<Busy> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(temporaryFolder('busy')).path;
  const sent: string[] = [];
  let isBusy = true;
  const answers: Record<string, () => object> = {
    'chat.abort': () => ({ aborted: true }),
    'chat.history': () => ({
      messages: isRead ? [{ role: 'user', idempotencyKey: `${sent.at(-1)}:user` }] : [],
      sessionInfo: { hasActiveRun: isBusy },
      ...(isBusy && { inFlightRun: { runId: 'theirs' } }),
    }),
  };
  const hand = stack.use(
    await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id, method, params }) => {
        if (method === 'agent.wait') {
          if ((params as { runId: string }).runId !== 'theirs')
            return [responseText(id, { status: 'pending', timeoutPhase: 'queue' })];
          isBusy = isEndless;
          return isEndless ? [] : [responseText(id, { status: 'ok' })];
        }
        if (method !== 'chat.send') return [responseText(id, answers[method]!())];
        const runId = (params as { idempotencyKey: string }).idempotencyKey;
        sent.push(runId);
        if (sent.length <= moves) return [refusalText(id, {}, MOVED)];
        const started = responseText(id, { runId, status: 'started' });
        if (!isBusy) return [started, finalText(runId, 'done')];
        const waits = eventText('chat', { runId, sessionKey: 'agent:main:k', seq: 1, state: 'final' });
        return isTold ? [started, waits] : [started];
      },
    ),
  );
  const gateway = createGateway({
    find: () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home),
  });
  stack.defer(() => gateway.close());
  const all = stack.move();
  return {
    gateway,
    hand,
    sent,
    methods: () => hand.requests.map(({ method }) => method),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const ORDER: TurnOrder = { message: 'hello', sessionKey: 'k' };

describe('turn in a busy conversation', () => {
  it('is withdrawn, and sent with a new run id after the other turn', async () => {
    await using at = await busy();
    const names: (string | undefined)[] = [];
    const end = await runTurn(at.gateway, { ...ORDER, onRun: (run) => names.push(run?.runId) });
    const [first, second] = at.sent;
    expect(end).toMatchObject({ kind: 'final', text: 'done', runId: second });
    expect(new Set(names)).toEqual(new Set([first, undefined, second]));
    expect(at.methods()).toEqual([
      'connect',
      'chat.send',
      'chat.abort',
      'chat.history',
      'chat.history',
      'agent.wait',
      'chat.history',
      'chat.send',
    ]);
    expect(at.hand.requests[2]?.params).toEqual({ sessionKey: 'agent:main:k', runId: first });
    expect(first).not.toBe(second);
  });

  it('keeps its place before later orders', async () => {
    await using at = await busy();
    const ends = ['one', 'two'].map((message) => runTurn(at.gateway, { ...ORDER, message }));
    await Promise.all(ends);
    const messages = at.hand.requests.flatMap(({ method, params }) =>
      method === 'chat.send' ? [(params as { message: string }).message] : [],
    );
    expect(messages).toEqual(['one', 'one', 'two']);
  });

  it('is not sent again if the agent has read it', async () => {
    await using at = await busy({ isRead: true });
    expect(await runTurn(at.gateway, ORDER)).toMatchObject({ kind: 'queued' });
    expect(at.sent).toHaveLength(1);
  });

  it('is not sent again after it was cancelled', async () => {
    await using at = await busy({ isEndless: true });
    const caller = new AbortController();
    const turn = runTurn(at.gateway, { ...ORDER, signal: caller.signal });
    expect(await eventually(() => at.methods().includes('agent.wait'))).toBe(true);
    caller.abort();
    expect(await turn).toMatchObject({ kind: 'aborted', runId: '' });
    expect(at.sent).toHaveLength(1);
  });

  it('is sent again up to five times if OpenClaw refused it because the conversation changed', async () => {
    await using at = await busy({ moves: 2 });
    expect(await runTurn(at.gateway, ORDER)).toMatchObject({ kind: 'final', text: 'done' });
    expect(new Set(at.sent).size).toBe(at.sent.length);
    await using never = await busy({ moves: Infinity });
    await expect(runTurn(never.gateway, ORDER)).rejects.toThrow('session changed before chat.send');
    expect(never.sent).toHaveLength(6);
  });

  it('is found to be queued after a lost connection', async () => {
    await using at = await busy({ isTold: false });
    const turn = runTurn(at.gateway, ORDER);
    expect(await eventually(() => at.sent.length === 1)).toBe(true);
    for (const connection of at.hand.connections) connection.destroy();
    expect(await turn).toMatchObject({ kind: 'final', text: 'done', runId: at.sent[1] });
  });
});
