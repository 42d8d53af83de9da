import { describe, expect, it } from 'vitest';
import { toByteText } from '../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../core/wire/message.ts';
import { LegacyClient } from './legacy-client.ts';
import type { Outlet } from './reply.ts';

const initialize = (params: object): Message =>
  parseMessage(toByteText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })));

class Noted implements Outlet {
  readonly sent: string[] = [];
  isOpen = true;
  notify(text: string): void {
    this.sent.push(text);
  }
  ask(text: string): boolean {
    if (this.isOpen) this.sent.push(text);
    return this.isOpen;
  }
}

const bench = () => {
  const outlet = new Noted();
  return { outlet, client: new LegacyClient('s', outlet, 4) };
};

const QUESTION = { method: 'roots/list', params: '{}', answer: () => undefined };

describe('initialize', () => {
  it('reads the client’s info and capabilities, byte for byte', () => {
    const { client } = bench();
    client.introduce(
      initialize({ capabilities: { roots: { listChanged: true }, x: 1 }, clientInfo: { name: 'größe' } }),
    );
    expect(client.session).toBe('s');
    expect(client.abilities).toEqual({
      raw: '{"roots":{"listChanged":true},"x":1}',
      sampling: false,
      elicitation: false,
      roots: true,
      tasks: false,
    });
    expect(client.info).toBe(toByteText('{"name":"größe"}'));
  });

  it.each([
    ['2024-11-05', '2024-11-05', false],
    ['2025-06-18', '2025-06-18', false],
    ['2025-11-25', '2025-11-25', true],
    ['2099-01-01', '2025-11-25', true],
    [7, '2025-11-25', true],
    [undefined, '2025-11-25', true],
  ])('with version %s agrees on %s', (protocolVersion, agreed, takesEmptyEvents) => {
    const { client } = bench();
    expect(client.version).toBeUndefined();
    client.introduce(initialize({ protocolVersion }));
    expect(client).toMatchObject({ version: agreed, takesEmptyEvents });
  });

  it.each([{}, { capabilities: null, clientInfo: [] }, { capabilities: 'all', clientInfo: 7 }])(
    'with params %j sets nothing',
    (params) => {
      const { client } = bench();
      client.introduce(initialize(params));
      expect(client.abilities.raw).toBe('{}');
      expect(client.info).toBeUndefined();
    },
  );
});

describe('a message that belongs to no call', () => {
  it('goes to any open stream of the client', () => {
    const { client, outlet } = bench();
    client.notify('notifications/x', '{"a":1}');
    client.ask(QUESTION);
    expect(outlet.sent[0]).toBe('{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}');
    expect(outlet.sent[1]).toContain('"method":"roots/list","params":{}');
  });

  it('cannot be a question if no stream is open', () => {
    const { client, outlet } = bench();
    outlet.isOpen = false;
    expect(client.ask(QUESTION)).toBeUndefined();
  });
});

describe('a question that belongs to a call', () => {
  it('is asked and withdrawn on the stream of its answer', () => {
    const { client, outlet } = bench();
    const via = new Noted();
    client.ask(QUESTION, via)!.withdraw('over');
    expect(via.sent).toHaveLength(2);
    expect(outlet.sent).toEqual([]);
  });

  it('is asked and withdrawn elsewhere if that stream is closed', () => {
    const { client, outlet } = bench();
    const via = new Noted();
    const asked = client.ask(QUESTION, via)!;
    via.isOpen = false;
    asked.withdraw('over');
    client.ask(QUESTION, via);
    expect(via.sent).toHaveLength(1);
    expect(outlet.sent.map((text) => (JSON.parse(text) as { method: string }).method)).toEqual([
      'notifications/cancelled',
      'roots/list',
    ]);
  });
});

describe('the end', () => {
  it('answers open questions and sends nothing more', () => {
    const { client, outlet } = bench();
    const answers: unknown[] = [];
    client.ask({ ...QUESTION, answer: (answer) => void answers.push(answer) });
    client.end('it went away');
    expect(answers).toEqual([
      { error: '{"code":-32603,"message":"The client cannot be reached: it went away."}' },
    ]);
    client.notify('notifications/x', '{}');
    expect(client.ask(QUESTION, new Noted())).toBeUndefined();
    expect(outlet.sent).toHaveLength(1);
  });

  it('is reported once', () => {
    const { client } = bench();
    const events: string[] = [];
    const welcome = () => {
      events.push('came');
      return () => events.push('went');
    };
    client.begin(welcome);
    client.begin(welcome);
    client.end('over');
    client.end('over');
    client.begin(welcome);
    expect(events).toEqual(['came', 'went']);
  });
});
