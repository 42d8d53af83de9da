import { describe, expect, it } from 'vitest';
import { aggregate } from './aggregate.ts';
import { readEvent, readMessage, readReply } from './read-event.ts';

const RUN = 'fc648d8f';
const ITEM = '5cf686f6-94f2-4fae-8622-f8f610a7ca42';
type Frame = [event: string, payload: Record<string, unknown>];

/** Frames as OpenClaw 2026.9.6 sends them, reduced to the members that are read. */
const agent = (seq: number, stream: string, data: object): Frame => [
  'agent',
  { runId: RUN, stream, data, sessionKey: 'agent:main:tools', agentId: 'main', seq, isHeartbeat: false },
];
const chat = (seq: number, state: string, more: object): Frame => [
  'chat',
  { runId: RUN, sessionKey: 'agent:main:tools', agentId: 'main', seq, state, ...more },
];
const preamble = (seq: number, itemId: string, progressText: string): Frame =>
  agent(seq, 'item', { kind: 'preamble', title: 'Preamble', phase: 'end', progressText, itemId });
const message = (text: string) => ({
  message: { role: 'assistant', content: [{ type: 'text', text }], timestamp: 1 },
});

const FRAMES: Frame[] = [
  chat(1, 'status', { phase: 'preparing_workspace' }),
  agent(1, 'run_status', { phase: 'preparing_workspace' }),
  agent(3, 'lifecycle', { phase: 'start', startedAt: 1794818308969 }),
  agent(5, 'lifecycle', { phase: 'model', provider: 'scripted', model: 'scripted' }),
  agent(6, 'assistant', { text: 'First', delta: 'First', itemId: `${ITEM}:1` }),
  chat(6, 'delta', { deltaText: 'First', ...message('First') }),
  agent(8, 'assistant', { text: 'First I look.', delta: ' I look.', itemId: `${ITEM}:1` }),
  chat(8, 'delta', { deltaText: ' I look.', ...message('First I look.') }),
  preamble(9, 'commentary-0-551b', 'First I look.'),
  agent(11, 'item', {
    itemId: 'tool:call_1',
    toolCallId: 'call_1',
    name: 'exec',
    kind: 'tool',
    phase: 'start',
  }),
  agent(12, 'tool', { phase: 'start', name: 'exec', toolCallId: 'call_1', args: { command: 'echo tool-0' } }),
  agent(13, 'tool', { phase: 'update', name: 'exec', toolCallId: 'call_1', partialResult: { content: [] } }),
  agent(15, 'command_output', { phase: 'delta', toolCallId: 'call_1', name: 'exec', output: 'tool-0' }),
  agent(16, 'tool', {
    phase: 'result',
    name: 'exec',
    toolCallId: 'call_1',
    isError: false,
    result: { content: [{ type: 'text', text: 'tool-0' }], details: { status: 'completed', exitCode: 0 } },
  }),
  agent(20, 'assistant', { text: 'Here', delta: 'Here', itemId: `${ITEM}:2` }),
  chat(20, 'delta', { deltaText: '\n\nHere', ...message('First I look.\n\nHere') }),
  agent(21, 'assistant', { text: 'Here it is.', delta: ' it is.', itemId: `${ITEM}:2` }),
  agent(22, 'assistant', { text: 'Here it is.', delta: '', mediaUrls: ['./dot.png'], itemId: `${ITEM}:2` }),
  agent(23, 'lifecycle', { phase: 'finishing', stopReason: 'stop', aborted: false }),
  agent(25, 'lifecycle', { phase: 'end', terminalReply: { disposition: 'visible', text: 'Here it is.' } }),
  chat(25, 'final', { stopReason: 'stop', ...message('First I look.\n\nHere it is.') }),
];

const eventsOf = (frames: readonly Frame[]) =>
  frames.flatMap(([event, payload]) => readEvent(event, payload, RUN) ?? []);

const REPLY = {
  runId: RUN,
  status: 'ok',
  summary: 'completed',
  result: { payloads: [{ text: 'Here it is.', mediaUrl: './dot.png', mediaUrls: ['./dot.png'] }], meta: {} },
};

describe('events of a turn', () => {
  it('become one answer, including text before a tool call', () => {
    expect(aggregate(eventsOf(FRAMES))).toMatchObject({
      state: 'done',
      text: 'First I look.\n\nHere it is.',
      media: [{ url: './dot.png' }],
      tools: [{ id: 'call_1', name: 'exec', result: { isError: false, text: 'tool-0' } }],
    });
  });

  it('give the same answer with the second response to `agent` and without chat events', () => {
    const whole = aggregate(eventsOf(FRAMES));
    expect(aggregate([...readReply(REPLY), ...eventsOf(FRAMES)])).toEqual(whole);
    const withoutChat = eventsOf(FRAMES.filter(([event]) => event === 'agent'));
    expect(aggregate([...withoutChat, ...readReply(REPLY)])).toEqual(whole);
  });

  it('include text that came in one piece before a tool call', () => {
    const [start, end] = [FRAMES.slice(0, 4), FRAMES.slice(9, -1)];
    const frames = [
      ...start,
      preamble(9, 'commentary-0-551b', 'First I look.'),
      ...end.filter(([event]) => event === 'agent'),
      chat(25, 'final', { stopReason: 'stop', ...message('Here it is.') }),
    ];
    expect(aggregate(eventsOf(frames)).text).toBe('First I look.\n\nHere it is.');
  });

  it('give the same text if messages have no id', () => {
    const nameless = FRAMES.map(([event, payload]): Frame => {
      const { itemId: _, ...data } = (payload['data'] ?? {}) as Record<string, unknown>;
      return [event, { ...payload, data }];
    });
    expect(aggregate(eventsOf(nameless))).toMatchObject({
      state: 'done',
      text: 'First I look.\n\nHere it is.',
      media: [{ url: './dot.png' }],
    });
  });

  it('leave the state running until an end event', () => {
    expect(aggregate(eventsOf(FRAMES.slice(0, -1)))).toMatchObject({
      state: 'running',
      text: 'First I look.\n\nHere it is.',
    });
  });

  it('ignore other runs and unknown events', () => {
    for (const [event, payload] of FRAMES) expect(readEvent(event, payload, 'another')).toBeUndefined();
    for (const wrong of [undefined, null, [], 'x', { runId: RUN }, { runId: RUN, stream: 'tool', data: 1 }])
      for (const event of ['agent', 'chat', 'health']) expect(readEvent(event, wrong, RUN)).toBeUndefined();
    expect(readEvent('agent', { runId: RUN, stream: 'constructor', data: {} }, RUN)).toBeUndefined();
  });

  it('keep the text so far of a stopped turn, and report no failure', () => {
    const frames = [
      ...FRAMES.slice(0, 8),
      agent(19, 'lifecycle', { phase: 'end', status: 'cancelled', aborted: true, stopReason: 'rpc' }),
      chat(19, 'aborted', { stopReason: 'rpc', ...message('First I look.') }),
      agent(22, 'lifecycle', { phase: 'error', error: 'This operation was aborted', aborted: true }),
    ];
    expect(aggregate(eventsOf(frames))).toMatchObject({
      state: 'aborted',
      text: 'First I look.',
      reason: undefined,
    });
    const stopped = { runId: RUN, status: 'timeout', summary: 'aborted', stopReason: 'rpc' };
    expect(aggregate(readReply(stopped))).toMatchObject({ state: 'aborted', text: '' });
  });

  it('report the reason of a failed turn', () => {
    const error = 'LLM request failed: provider rejected the request schema or tool payload.';
    const frames = [
      agent(6, 'lifecycle', { phase: 'finishing', error, aborted: false }),
      agent(9, 'lifecycle', { phase: 'error', error, executionSettled: true }),
    ];
    expect(aggregate(eventsOf(frames))).toMatchObject({ state: 'running', reason: error });
    const end = chat(1, 'error', { errorMessage: `Agent failed before reply: ${error}` });
    expect(aggregate(eventsOf([...frames, end]))).toMatchObject({
      state: 'failed',
      text: '',
      reason: `Agent failed before reply: ${error}`,
    });
    expect(aggregate(readReply({ runId: RUN, status: 'error', summary: error }))).toMatchObject({
      state: 'failed',
      reason: error,
    });
  });

  it('do not end the turn when it is accepted', () => {
    expect(readReply({ runId: RUN, status: 'accepted', acceptedAt: 1 })).toEqual([]);
    expect(readReply(undefined)).toEqual([]);
  });

  it('contain only a final message for a command', () => {
    const frames = [
      chat(1, 'final', { message: { role: 'assistant', content: 'Paired.', model: 'gateway-injected' } }),
    ];
    expect(aggregate(eventsOf(frames))).toMatchObject({ state: 'done', text: 'Paired.' });
  });

  it('lose nothing if the gateway sends only the last 500,000 characters', () => {
    const start = 'first line\n';
    const long = `${start}${'x'.repeat(499_999)}y`;
    const frames = [
      agent(1, 'assistant', { text: start, delta: start, itemId: 'a' }),
      chat(1, 'delta', { deltaText: start, ...message(start) }),
      agent(2, 'assistant', { text: long, delta: long.slice(start.length), itemId: 'a' }),
      chat(2, 'delta', { deltaText: long.slice(-500_000), replace: true, ...message(long.slice(-500_000)) }),
    ];
    expect(aggregate(eventsOf(frames)).text).toBe(long);
    expect(aggregate(eventsOf([...frames, chat(3, 'final', message(long.slice(-500_000)))])).text).toBe(long);
  });
});

describe('readMessage', () => {
  it('reads an image that the gateway stores, as the history lists it', () => {
    const url = '/api/chat/media/outgoing/agent%3Amain%3Amedia/ad6a7558/full';
    const content = [
      { type: 'text', text: 'Here it is.' },
      { type: 'image', artifactId: 'artifact_1', url, alt: 'dot.png', mimeType: 'image/png', sizeBytes: 70 },
    ];
    expect(readMessage({ role: 'assistant', content })).toEqual({
      text: 'Here it is.',
      media: [{ url, data: undefined, mimeType: 'image/png', name: 'dot.png', size: 70 }],
    });
  });

  it('reads an inline image, and skips media that the gateway left out', () => {
    const content = [
      { type: 'image', data: 'QQ==', mimeType: 'image/png' },
      { type: 'image', mimeType: 'image/png', bytes: 70, omitted: true },
      { type: 'toolCall', id: 'call_1', name: 'read', arguments: {} },
    ];
    expect(readMessage({ content })).toMatchObject({
      text: '',
      media: [{ data: 'QQ==', mimeType: 'image/png' }],
    });
  });

  it.each([undefined, null, 'x', {}, { content: 1 }, { content: [1, null, { type: 'text' }] }])(
    'returns nothing for %j',
    (wrong) => expect(readMessage(wrong)).toEqual({ text: '', media: [] }),
  );
});
