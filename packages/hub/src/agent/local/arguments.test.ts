import { describe, expect, it } from 'vitest';
import { argumentsFor, checkOrder, fileText, remarksFor } from './backend.ts';
import { verifies } from '../../../../../test/verifies.ts';

const ORDER = {
  message: 'hello',
  sessionKey: 'mcp:a:b',
  attachments: [],
  agentId: undefined,
  commands: false,
};
const MAX = 1_000;

describe('argumentsFor', () => {
  it('names the conversation and the message file, and no channel', () => {
    expect(argumentsFor(ORDER, '/tmp/x/message.txt', 1_500)).toEqual([
      'agent',
      '--local',
      '--json',
      '--session-key=mcp:a:b',
      '--message-file=/tmp/x/message.txt',
      '--timeout=2',
    ]);
  });

  it('never reads a value as an option', () => {
    const args = argumentsFor({ sessionKey: '--deliver', agentId: '--channel' }, '/m', 1_000);
    expect(args).toContain('--session-key=--deliver');
    expect(args).toContain('--agent=--channel');
  });
});

describe('fileText', () => {
  it.each(['hello', ' \u0000 e\u0301\r\n', 'x\u{feff}'])('writes %j unchanged', (message) =>
    expect(fileText(message)).toBe(message),
  );

  it('survives the byte order mark handling of OpenClaw', () => {
    const message = '\u{feff}hello';
    const read = new TextDecoder().decode(Buffer.from(fileText(message))).replace(/^\uFEFF/, '');
    expect(read).toBe(message);
  });
});

describe('checkOrder', () => {
  const refusal = (order: Partial<Parameters<typeof checkOrder>[0]>): unknown => {
    try {
      checkOrder({ ...ORDER, ...order }, MAX);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const needsGateway = { code: 'ARGUMENT_INVALID', hint: expect.stringContaining('openclaw gateway') };

  it.each(['hello', '/status', '/new', ' /think high', '/compaction', 'x'.repeat(MAX)])(
    'accepts %.20j',
    (message) => {
      verifies('001-media-without-gateway');
      expect(refusal({ message })).toBeUndefined();
    },
  );

  it('refuses files', () => {
    verifies('001-media-without-gateway');
    verifies('001-media-without-gateway');
    const file = { kind: 'file', mimeType: 'text/plain', name: 'a.txt', size: 1, data: 'QQ==' } as const;
    expect(refusal({ attachments: [file] })).toMatchObject(needsGateway);
  });

  it.each(['/compact', ' /COMPACT now', `${'x'.repeat(MAX - 1)}ü`])(
    'refuses %.20j without a gateway',
    (message) => expect(refusal({ message })).toMatchObject(needsGateway),
  );

  it.each(['', ' \n', 'half \ud800 pair'])('refuses %j', (message) =>
    expect(refusal({ message })).toMatchObject({ code: 'ARGUMENT_INVALID' }),
  );
});

describe('remarksFor', () => {
  it('reports that a command was sent as text', () => {
    expect(remarksFor({ message: '/status', commands: true })).toHaveLength(1);
    expect(remarksFor({ message: '/status', commands: false })).toEqual([]);
    expect(remarksFor({ message: 'What is /etc?', commands: true })).toEqual([]);
  });
});
