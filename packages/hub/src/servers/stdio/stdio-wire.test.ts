import { describe, expect, it } from 'vitest';
import { ownersHint, type PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import type { Child, ChildEvents, Log, SpawnOptions } from '../../core/ports.ts';
import type { Message } from '../../core/wire/message.ts';
import { openStdioWire } from './stdio-wire.ts';
import type { Outgoing } from '../wire.ts';

const ABOUT: Outgoing = { id: undefined, method: 'x', name: undefined };
const CHILD: SpawnOptions = { command: 'server', args: ['-v'], cwd: '/tmp', env: { A: '1' } };

function bench(over: Partial<Limits> = {}, pid = 7) {
  const limits: Limits = { ...DEFAULT_LIMITS, ...over };
  const child = { pid, unsent: 0, written: '', stops: 0, options: undefined as SpawnOptions | undefined };
  let childEvents: ChildEvents | undefined;
  const messages: Message[] = [];
  const closed: PincerError[] = [];
  const warnings: string[] = [];
  let drains = 0;
  const note = (message: string): void => void warnings.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const wire = openStdioWire({
    server: 's',
    child: CHILD,
    limits,
    log,
    spawn(options, events): Child {
      child.options = options;
      childEvents = events;
      return {
        pid,
        get unsent() {
          return child.unsent;
        },
        write(text) {
          child.written += text;
          return true;
        },
        pause: () => undefined,
        resume: () => undefined,
        async stop() {
          child.stops++;
        },
      };
    },
  })({
    onMessage: (message) => void messages.push(message),
    onRequestLost: () => expect.unreachable('a pipe loses no single request'),
    onSessionEnded: () => undefined,
    onClosed: (reason) => void closed.push(reason),
    onDrain: () => drains++,
  });
  return { child, events: childEvents!, wire, messages, closed, warnings, drains: () => drains };
}

describe('the child', () => {
  it('is started with the given options', () => {
    const { child, wire } = bench();
    expect(child.options).toBe(CHILD);
    expect(wire.pid).toBe(7);
  });

  it('is stopped with the wire, and its exit is then not reported', async () => {
    const { child, events, wire, closed } = bench();
    await wire.close();
    events.onExit('ended');
    expect(child.stops).toBe(1);
    expect(closed).toEqual([]);
  });

  it('that exits closes the wire once, with its last words', () => {
    const { events, closed } = bench();
    events.onStderr('starting\nError: no ');
    events.onStderr('token\n\n');
    events.onExit('exited with code 1');
    events.onExit('again');
    expect(closed).toHaveLength(1);
    expect(closed[0]).toMatchObject({
      code: 'SERVER_GONE',
      message: 'Server "s" exited with code 1.',
      hint: 'See what it wrote to stderr: pincer status s',
    });
    // Only for the owner of the hub.
    expect(ownersHint(closed[0]!)).toBe('Its last output on stderr: Error: no token');
    expect(JSON.stringify(Object.entries(closed[0]!))).not.toContain('no token');
  });

  it('that could not be started is unreachable', () => {
    const { events, closed } = bench({}, 0);
    events.onExit('cannot be started: ENOENT');
    expect(closed).toMatchObject([{ code: 'SERVER_UNREACHABLE', data: { neverRan: true } }]);
    expect(closed[0]!.hint).toContain('servers.s.command');
  });
});

describe('lines from the child', () => {
  it('are messages, however the stream is cut', () => {
    const { events, messages } = bench();
    for (const part of [
      '{"jsonrpc":"2.0","id":"a","res',
      'ult":{}}\n\n \r\n{"jsonrpc":"2.0",',
      '"method":"n"}\r\n',
    ])
      events.onStdout(part);
    expect(messages.map(({ id, method }) => id ?? method)).toEqual(['"a"', 'n']);
  });

  it('that are not messages are logged and skipped', () => {
    const { events, messages, warnings, closed } = bench();
    events.onStdout('Listening on stdio…\n[1]\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","method":"n"}\n');
    expect(messages.map(({ method }) => method)).toEqual(['n']);
    expect(warnings).toHaveLength(3);
    expect(closed).toEqual([]);
  });

  it('that are too long end the connection and the child', () => {
    const { child, events, closed } = bench({ maxMessageBytes: 100 });
    events.onStdout('x'.repeat(101));
    expect(closed).toMatchObject([{ code: 'SERVER_PROTOCOL' }]);
    expect(closed[0]!.message).toContain('100 bytes');
    expect(child.stops).toBe(1);
  });

  it('of 21 MB arrive whole', () => {
    const { events, messages } = bench();
    const data = 'A'.repeat(21 * 1024 * 1024);
    const line = `{"jsonrpc":"2.0","id":"a","result":{"data":"${data}"}}\n`;
    for (let at = 0; at < line.length; at += 65_536) events.onStdout(line.slice(at, at + 65_536));
    expect(messages[0]!.result!.length).toBe(data.length + '{"data":""}'.length);
  });
});

describe('messages to the child', () => {
  it('are one line each, even with line breaks between tokens', () => {
    const { child, wire } = bench();
    wire.send('{"jsonrpc":"2.0",\r\n"method":"a"}', ABOUT);
    wire.send('{"jsonrpc":"2.0","method":"b\\n"}', ABOUT);
    expect(child.written).toBe('{"jsonrpc":"2.0", "method":"a"}\n{"jsonrpc":"2.0","method":"b\\n"}\n');
  });

  it('wait while too much is unread', () => {
    const { child, events, wire, drains } = bench({ maxUnsentToServerBytes: 10 });
    expect(wire.isReady).toBe(true);
    child.unsent = 10;
    expect(wire.isReady).toBe(false);
    child.unsent = 9;
    expect(wire.isReady).toBe(true);
    events.onDrain();
    expect(drains()).toBe(1);
  });
});
