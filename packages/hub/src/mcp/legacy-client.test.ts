import { describe, expect, it } from 'vitest';
import { toByteText } from '../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../core/wire/message.ts';
import { LegacyClient } from './legacy-client.ts';
import type { Outlet } from './reply.ts';

const initialize = (params: object): Message =>
  parseMessage(toByteText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })));

class Noted implements Outlet {
  readonly said: string[] = [];
  isOpen = true;
  notify(text: string): void {
    this.said.push(text);
  }
  ask(text: string): boolean {
    if (this.isOpen) this.said.push(text);
    return this.isOpen;
  }
}

const bench = () => {
  const outlet = new Noted();
  return { outlet, client: new LegacyClient('s', outlet, 4) };
};

const QUESTION = { method: 'roots/list', params: '{}', answer: () => undefined };

describe('initialize', () => {
  it('says who the client is and what it can do, in its own bytes', () => {
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
    'with params %j says nothing',
    (params) => {
      const { client } = bench();
      client.introduce(initialize(params));
      expect(client.abilities.raw).toBe('{}');
      expect(client.info).toBeUndefined();
    },
  );
});

describe('what belongs to no call', () => {
  it('goes to wherever the client listens', () => {
    const { client, outlet } = bench();
    client.notify('notifications/x', '{"a":1}');
    client.ask(QUESTION);
    expect(outlet.said[0]).toBe('{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}');
    expect(outlet.said[1]).toContain('"method":"roots/list","params":{}');
  });

  it('cannot be asked where nobody listens', () => {
    const { client, outlet } = bench();
    outlet.isOpen = false;
    expect(client.ask(QUESTION)).toBeUndefined();
  });
});

describe('what belongs to a call', () => {
  it('is asked, and taken back, on the way of its answer', () => {
    const { client, outlet } = bench();
    const via = new Noted();
    client.ask(QUESTION, via)!.withdraw('over');
    expect(via.said).toHaveLength(2);
    expect(outlet.said).toEqual([]);
  });

  it('is asked and taken back elsewhere where that way is closed', () => {
    const { client, outlet } = bench();
    const via = new Noted();
    const asked = client.ask(QUESTION, via)!;
    via.isOpen = false;
    asked.withdraw('over');
    client.ask(QUESTION, via);
    expect(via.said).toHaveLength(1);
    expect(outlet.said.map((text) => (JSON.parse(text) as { method: string }).method)).toEqual([
      'notifications/cancelled',
      'roots/list',
    ]);
  });
});

describe('the end', () => {
  it('answers what was asked and lets nothing more through', () => {
    const { client, outlet } = bench();
    const answers: unknown[] = [];
    client.ask({ ...QUESTION, answer: (answer) => void answers.push(answer) });
    client.end('it went away');
    expect(answers).toEqual([
      { error: '{"code":-32603,"message":"The client cannot be reached: it went away."}' },
    ]);
    client.notify('notifications/x', '{}');
    expect(client.ask(QUESTION, new Noted())).toBeUndefined();
    expect(outlet.said).toHaveLength(1);
  });

  it('is told once to who welcomed the client once', () => {
    const { client } = bench();
    const told: string[] = [];
    const welcome = () => {
      told.push('came');
      return () => told.push('went');
    };
    client.begin(welcome);
    client.begin(welcome);
    client.end('over');
    client.end('over');
    client.begin(welcome);
    expect(told).toEqual(['came', 'went']);
  });
});
