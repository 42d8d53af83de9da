import { describe, expect, it } from 'vitest';
import type { EventListener } from '../../openclaw/socket.ts';
import { followRun, type TurnEnd } from './follow-run.ts';

const say = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });

/** The first end that is found in the events of a run. */
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

describe('the end of a turn', () => {
  it('is its last message, under the name that the gateway gives the conversation', () => {
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

  it('tells of files', () => {
    const media = agent('assistant', { text: 'x', delta: '', mediaUrls: ['./a.png'], itemId: 'm' });
    expect(endOf(media, chat('final', { message: say('x') }))).toMatchObject({ hasMedia: true });
  });

  it('is not the end of somebody else’s', () => {
    expect(endOf(['chat', { runId: 'another', state: 'final', message: say('x') }])).toBeUndefined();
  });

  it('without a word and without a run is no answer', () => {
    expect(endOf(chat('final'))).toMatchObject({ kind: 'swallowed' });
    expect(endOf(agent('lifecycle', { phase: 'start' }), chat('final'))).toMatchObject({
      kind: 'final',
      text: '',
    });
  });

  it('that was stopped has what was said by then', () => {
    expect(endOf(chat('aborted', { message: say('so far') }))).toMatchObject({
      kind: 'aborted',
      text: 'so far',
    });
  });

  it('that failed says why', () => {
    const failed = chat('error', { errorMessage: 'no credits' });
    expect(endOf(failed)).toMatchObject({ kind: 'error', message: 'no credits' });
  });

  it('is a failure where the model had nothing to say', () => {
    const failed = agent('lifecycle', { phase: 'error', aborted: false, error: 'no response' });
    expect(endOf(failed, chat('aborted', { stopReason: 'stop' }))).toMatchObject({
      kind: 'error',
      message: 'no response',
    });
  });
});
