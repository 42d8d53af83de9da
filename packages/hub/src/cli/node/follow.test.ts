import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../control/contract/machine.ts';
import { type OperatorView, followPairing } from './follow.ts';

interface Seen {
  readonly node: NodeReport | undefined;
  readonly operator?: OperatorView | undefined;
}

/** Plays the states in order and collects the printed texts. */
async function follow(...states: Seen[]): Promise<{ printed: string[]; end: NodeReport | undefined }> {
  const printed: string[] = [];
  const timeout = new AbortController();
  let at = -1;
  const now = (): Seen => states[Math.min(at, states.length - 1)]!;
  const end = await followPairing({
    look: () => {
      if (++at >= states.length) timeout.abort();
      return Promise.resolve(now().node);
    },
    lookAsOperator: () => Promise.resolve(now().operator),
    say: (text) => void printed.push(text),
    signal: timeout.signal,
    everyMs: 1,
  });
  return { printed, end };
}

const node = (is: NodeReport['is'], more: Partial<NodeReport> = {}): NodeReport => ({
  is,
  since: 0,
  ...more,
});
const commands = (...usable: string[]): Pick<NodeReport, 'commands'> => ({
  commands: { declared: ['a', 'b'], usable },
});

const view = (requestId: string | undefined, ...approved: string[]): OperatorView => ({
  requestId,
  commands: approved,
  waiting: [],
  policy: undefined,
});

describe('followPairing', () => {
  it('says once what to approve at each step', async () => {
    const { printed, end } = await follow(
      { node: undefined },
      { node: node('connecting') },
      { node: node('pending', { requestId: 'r-1' }) },
      { node: node('pending', { requestId: 'r-1' }) },
      { node: node('paired', commands()), operator: view('r-2') },
      { node: node('connected', commands('a', 'b')) },
      { node: node('connected', commands('a', 'b')) },
    );
    expect(printed).toEqual([
      expect.stringContaining('openclaw devices approve r-1'),
      expect.stringContaining('openclaw nodes approve r-2'),
    ]);
    expect(end?.is).toBe('connected');
  });

  it('says how to find the request id if the gateway does not tell it', async () => {
    const { printed } = await follow(
      { node: node('paired', commands()) },
      { node: node('connected', commands('a', 'b')) },
    );
    expect(printed).toEqual([
      expect.stringContaining('openclaw nodes approve <id of openclaw nodes pending>'),
    ]);
  });

  it('waits for new commands that need approval, but not for blocked ones', async () => {
    const partly = node('connected', commands('a'));
    const { printed, end } = await follow(
      { node: partly, operator: view('r-3', 'a') },
      { node: partly, operator: view(undefined, 'a') },
    );
    expect(printed).toEqual([expect.stringContaining('openclaw nodes approve r-3')]);
    expect(end).toBe(partly);
  });

  it('does not treat a command that was just approved as blocked', async () => {
    const operator = view(undefined, 'a', 'b');
    const { end } = await follow(
      { node: node('connected', commands('a')), operator },
      { node: node('connected', commands('a')), operator },
      { node: node('connected', commands('a', 'b')), operator },
      { node: node('connected', commands('a', 'b')), operator },
    );
    expect(end?.commands?.usable).toEqual(['a', 'b']);
  });

  it('says why pairing fails, and stops after the timeout', async () => {
    const { printed, end } = await follow({
      node: node('backoff', { reason: 'No answer.', hint: 'Start it.' }),
    });
    expect(printed).toEqual(['No answer. Start it.\n']);
    expect(end?.is).toBe('backoff');
  });
});
