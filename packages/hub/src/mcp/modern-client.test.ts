import { describe, expect, it } from 'vitest';
import { META_KEY } from '../core/protocol.ts';
import { toByteText } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { ModernClient } from './modern-client.ts';

const clientOf = (meta: object, pipe?: string): ModernClient =>
  new ModernClient(
    parseMessage(
      toByteText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta } })),
    ),
    pipe,
  );

describe('a modern client', () => {
  it('is described by its request', () => {
    const client = clientOf({
      [META_KEY.clientCapabilities]: { sampling: {}, elicitation: { form: {} } },
      [META_KEY.clientInfo]: { name: 'größe' },
      [META_KEY.logLevel]: 'warning',
    });
    expect(client.abilities).toMatchObject({ sampling: true, elicitation: true, roots: false });
    expect(client.info).toBe(toByteText('{"name":"größe"}'));
    expect(client.logLevel).toBe('warning');
    expect(client.session).toBeUndefined();
  });

  it.each([{}, { [META_KEY.clientCapabilities]: 7, [META_KEY.clientInfo]: '', [META_KEY.logLevel]: 'loud' }])(
    'has no abilities without a valid description: %j',
    (meta) => {
      const client = clientOf(meta);
      expect(client.abilities.raw).toBe('{}');
      expect([client.info, client.logLevel]).toEqual([undefined, undefined]);
    },
  );

  it('has the session of its pipe, and cannot be asked', () => {
    const client = clientOf({}, 'pipe');
    expect(client.session).toBe('pipe');
    expect(client.ask()).toBeUndefined();
  });
});
