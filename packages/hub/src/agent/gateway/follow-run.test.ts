import { describe, expect, it } from 'vitest';
import type { EventListener } from '../../openclaw/socket.ts';
import { followRun, type TurnEnd } from './follow-run.ts';

const say = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });

/** The first end that the events of a run report. */
function endOf(...events: [string, object][]): TurnEnd | undefined {
  const ends: TurnEnd[] = [];
  let tell: EventListener = () => undefined;
  const gateway = {
    onEvent(listener: EventListener) {
      tell = listener;
      return () => undefined;
    },
  };
  followRun(gateway, { runId: 'run', sessionKey: 'k', onEnd: (end) => void ends.push(end) });
  for (const [event, payload] of events)
    tell(event, { runId: 'run', sessionKey: 'agent:main:k', ...payload });
  return ends[0];
}

const agent = (stream: string, data: object): [string, object] => ['agent', { stream, data }];
const chat = (state: string, more = {}): [string, object] => ['chat', { state, ...more }];

describe('end of a turn', () => {
  it("has the last message, and the gateway's name of the conversation", () => {
    const end = endOf(
      agent('lifecycle', { phase: 'start' }),
      chat('delta'),
      chat('final', { message: say('done') }),
    );
    expect(end).toEqual({
      kind: 'final',
      runId: 'run',
      sessionKey: 'agent:main:k',
      text: 'done',
      hasMedia: false,
      wasAway: false,
    });
  });

  it('reports files', () => {
    const media = agent('assistant', { text: 'x', delta: '', mediaUrls: ['./a.png'], itemId: 'm' });
    expect(endOf(media, chat('final', { message: say('x') }))).toMatchObject({ hasMedia: true });
  });

  it('ignores other runs', () => {
    expect(endOf(['chat', { runId: 'another', state: 'final', message: say('x') }])).toBeUndefined();
  });

  it('counts a turn without text and without a run as no answer', () => {
    expect(endOf(chat('final'))).toMatchObject({ kind: 'queued' });
    expect(endOf(agent('lifecycle', { phase: 'start' }), chat('final'))).toMatchObject({
      kind: 'final',
      text: '',
    });
  });

  it('has the text so far if the turn was stopped', () => {
    expect(endOf(chat('aborted', { message: say('so far') }))).toMatchObject({
      kind: 'aborted',
      text: 'so far',
    });
  });

  it('has the reason if the turn failed', () => {
    const failed = chat('error', { errorMessage: 'no credits' });
    expect(endOf(failed)).toMatchObject({ kind: 'error', message: 'no credits' });
  });

  it('is a failure if the model returned nothing', () => {
    const failed = agent('lifecycle', { phase: 'error', aborted: false, error: 'no response' });
    expect(endOf(failed, chat('aborted', { stopReason: 'stop' }))).toMatchObject({
      kind: 'error',
      message: 'no response',
    });
  });
});
