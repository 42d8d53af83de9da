import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../control/contract/machine.ts';
import { type OperatorView, followPairing } from './follow.ts';

interface Seen {
  readonly node: NodeReport | undefined;
  readonly operator?: OperatorView | undefined;
}

/** The states one after the other, and what is said to them. */
async function follow(...states: Seen[]): Promise<{ said: string[]; end: NodeReport | undefined }> {
  const said: string[] = [];
  const patience = new AbortController();
  let at = -1;
  const now = (): Seen => states[Math.min(at, states.length - 1)]!;
  const end = await followPairing({
    look: () => {
      if (++at >= states.length) patience.abort();
      return Promise.resolve(now().node);
    },
    lookAsOperator: () => Promise.resolve(now().operator),
    say: (text) => void said.push(text),
    signal: patience.signal,
    everyMs: 1,
  });
  return { said, end };
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

describe('whoever pairs this machine', () => {
  it('is told what to approve, once each, until it is done', async () => {
    const { said, end } = await follow(
      { node: undefined },
      { node: node('connecting') },
      { node: node('pending', { requestId: 'r-1' }) },
      { node: node('pending', { requestId: 'r-1' }) },
      { node: node('paired', commands()), operator: view('r-2') },
      { node: node('connected', commands('a', 'b')) },
      { node: node('connected', commands('a', 'b')) },
    );
    expect(said).toEqual([
      expect.stringContaining('openclaw devices approve r-1'),
      expect.stringContaining('openclaw nodes approve r-2'),
    ]);
    expect(end?.is).toBe('connected');
  });

  it('is told where to look where the gateway does not tell which it is', async () => {
    const { said } = await follow(
      { node: node('paired', commands()) },
      { node: node('connected', commands('a', 'b')) },
    );
    expect(said).toEqual([expect.stringContaining('openclaw nodes approve <id of openclaw nodes pending>')]);
  });

  it('waits for what is new while the rest is approved already, and not for what is blocked', async () => {
    const partly = node('connected', commands('a'));
    const { said, end } = await follow(
      { node: partly, operator: view('r-3', 'a') },
      { node: partly, operator: view(undefined, 'a') },
    );
    expect(said).toEqual([expect.stringContaining('openclaw nodes approve r-3')]);
    expect(end).toBe(partly);
  });

  it('does not take what was approved at this moment for blocked', async () => {
    const operator = view(undefined, 'a', 'b');
    const { end } = await follow(
      { node: node('connected', commands('a')), operator },
      { node: node('connected', commands('a')), operator },
      { node: node('connected', commands('a', 'b')), operator },
      { node: node('connected', commands('a', 'b')), operator },
    );
    expect(end?.commands?.usable).toEqual(['a', 'b']);
  });

  it('hears why it cannot be done, and may lose patience', async () => {
    const { said, end } = await follow({
      node: node('backoff', { reason: 'Nobody answers.', hint: 'Start it.' }),
    });
    expect(said).toEqual(['Nobody answers. Start it.\n']);
    expect(end?.is).toBe('backoff');
  });
});
