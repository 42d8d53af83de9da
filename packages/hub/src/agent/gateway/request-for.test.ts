import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { sessionKeyFor } from '../orders.ts';
import { requestFor } from './turn.ts';

const ask = (message: string, more = {}) => requestFor({ message, sessionKey: 'k', ...more }, 'run');

describe('requestFor', () => {
  it.each([
    'hello',
    '/mcp servers',
    '/new',
    ' spaces ',
    'ünïcödé 🦞',
    'tab\tand\nline\r\n',
    '',
    ' e\u0301',
    '/new e\u0301',
  ])('sends %j as text, not as a command', (message) => {
    verifies(
      '002-req-unmodified',
      '002-integration-context',
      '002-2-in-band',
      '002-2-no-originating-channel',
    );
    expect(ask(message)).toEqual({
      method: 'chat.send',
      params: {
        message,
        sessionKey: 'k',
        idempotencyKey: 'run',
        suppressCommandInterpretation: true,
        queueMode: 'followup',
      },
    });
  });

  it.each(['e\u0301', 'a\u0000b', '\u001b[1mbold'])(
    'uses `agent` for %j, which `chat.send` would change',
    (message) => {
      expect(ask(message)).toEqual({
        method: 'agent',
        params: { message, sessionKey: 'k', idempotencyKey: 'run' },
      });
    },
  );

  it('allows commands if the settings do', () => {
    expect(ask('/status', { commands: true }).params).not.toHaveProperty('suppressCommandInterpretation');
  });

  it('names attachments and agent only if there are any', () => {
    const attachment = { type: 'image', mimeType: 'image/png', fileName: 'a.png', content: 'AA==' };
    expect(ask('x', { attachments: [attachment], agentId: 'home' }).params).toMatchObject({
      attachments: [attachment],
      agentId: 'home',
    });
    expect(ask('x', { attachments: [] }).params).not.toHaveProperty('attachments');
  });
});

describe('sessionKeyFor', () => {
  it('is the same for the same caller and key, and different otherwise', () => {
    const names = [
      sessionKeyFor({ caller: 'a', key: 'k' }),
      sessionKeyFor({ caller: 'a', key: 'K' }),
      sessionKeyFor({ caller: 'b', key: 'k' }),
      sessionKeyFor({ caller: 'a', key: 'agent:main:telegram:direct:42' }),
    ];
    expect(new Set(names).size).toBe(4);
    expect(sessionKeyFor({ caller: 'a', key: 'k' })).toBe(names[0]);
    for (const name of names) expect(name).toMatch(/^mcp:[0-9a-f]{16}:[0-9a-f]{40}$/);
  });

  it('includes the agent', () => {
    expect(sessionKeyFor({ caller: 'a', key: 'k', agentId: 'home' })).toMatch(/^agent:home:mcp:/);
  });
});
