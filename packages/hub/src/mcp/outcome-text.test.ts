import { describe, expect, it } from 'vitest';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import type { Era } from '../core/protocol.ts';
import { parseBytes, toByteText } from '../core/wire/byte-text.ts';
import { outcomeText } from './reply.ts';

const ok = (result: string, era: Era, extra = ''): Outcome => ({ kind: 'ok', result, era, extra });

describe('an answer of the server', () => {
  it.each<[Era, Era]>([
    ['legacy', 'legacy'],
    ['modern', 'modern'],
    ['modern', 'legacy'],
    ['legacy', 'modern'],
  ])('goes from %s to %s unchanged', (from, to) => {
    const result = toByteText('{ "content": [{"text":"größe"}], "n": 99999999999999999999, "f": 1.0 }');
    expect(outcomeText('"a"', ok(result, from), to)).toEqual({
      text: `{"jsonrpc":"2.0","id":"a","result":${result}}`,
      status: 200,
    });
  });

  it('keeps the envelope’s unknown members', () => {
    expect(outcomeText('1', ok('{}', 'legacy', ',"trace":1.0'), 'legacy').text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{},"trace":1.0}',
    );
    expect(
      outcomeText('1', { kind: 'tool_error', error: '{"code":1}', extra: ',"t":2' }, 'legacy').text,
    ).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":1},"t":2}');
  });

  it('is passed on if the tool failed', () => {
    const outcome: Outcome = { kind: 'tool_error', result: '{"isError":true}', era: 'legacy', extra: '' };
    expect(outcomeText('1', outcome, 'legacy').text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}',
    );
  });

  it.each<Era>(['legacy', 'modern'])('is passed on if it is a JSON-RPC error (%s)', (era) => {
    const error = '{"code":-32602, "message":"no","data":{"n":1.0}}';
    expect(outcomeText('1', { kind: 'tool_error', error, extra: '' }, era)).toEqual({
      text: `{"jsonrpc":"2.0","id":1,"error":${error}}`,
      status: 200,
    });
  });
});

describe('the HTTP status of an error', () => {
  it.each<[number, Era, number]>([
    [-32601, 'modern', 404],
    [-32020, 'modern', 400],
    [-32021, 'modern', 400],
    [-32022, 'modern', 400],
    [-32603, 'modern', 200],
    [-32601, 'legacy', 200],
    [-32022, 'legacy', 200],
  ])('%i (%s) is %i', (code, era, status) => {
    const error = JSON.stringify({ code, message: 'm' });
    expect(outcomeText('1', { kind: 'tool_error', error, extra: '' }, era).status).toBe(status);
  });
});

describe('a failure of Pincer itself', () => {
  const reason = new PincerError('SERVER_UNREACHABLE', 'Not there: größe.', { hint: 'Look.' });

  it.each<[Outcome, Era, number]>([
    [notExecuted(reason), 'legacy', -32010],
    [notExecuted(reason), 'modern', -32010],
    [outcomeUnknown(reason), 'legacy', -32011],
    [outcomeUnknown(reason), 'modern', -32011],
  ])('%o (%s) has code %i and names its outcome', (outcome, era, code) => {
    expect(parseBytes(outcomeText('"x"', outcome, era).text)).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      error: {
        code,
        message: 'Not there: größe.',
        data: { code: 'SERVER_UNREACHABLE', outcome: outcome.kind, hint: 'Look.' },
      },
    });
  });

  it('has the specification’s code for an unknown tool', () => {
    const unknown = new PincerError('TOOL_UNKNOWN', 'Unknown tool: x');
    expect(parseBytes(outcomeText('1', notExecuted(unknown), 'legacy').text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message: 'Unknown tool: x',
        data: { code: 'TOOL_UNKNOWN', outcome: 'not_executed' },
      },
    });
  });

  it.each<[ErrorCode, Era, number, number]>([
    ['RESOURCE_UNKNOWN', 'legacy', -32002, 200],
    ['RESOURCE_UNKNOWN', 'modern', -32602, 200],
    ['PROMPT_UNKNOWN', 'legacy', -32602, 200],
    ['TASK_UNKNOWN', 'modern', -32602, 200],
    ['STATE_INVALID', 'modern', -32602, 200],
    ['CAPABILITY_MISSING', 'modern', -32021, 400],
  ])('%s (%s) has the code %i and the status %i', (code, era, number, status) => {
    const { text, status: actual } = outcomeText('1', notExecuted(new PincerError(code, 'x')), era);
    expect(parseBytes(text)).toMatchObject({ error: { code: number, data: { code } } });
    expect(actual).toBe(status);
  });

  it('has data for programs, but neither cause nor stack', () => {
    const reason = new PincerError('INTERNAL', 'x', {
      data: { port: 7, code: 'other' },
      cause: new Error('s3cret'),
    });
    const { text } = outcomeText('1', notExecuted(reason), 'legacy');
    expect(parseBytes(text)).toMatchObject({ error: { data: { port: 7, code: 'INTERNAL' } } });
    expect(text).not.toMatch(/s3cret|stack|\.ts/);
  });
});

describe('a failure that an agent of OpenClaw reads', () => {
  const shown = (outcome: Outcome, server?: string, era: Era = 'legacy'): unknown =>
    parseBytes(outcomeText('1', outcome, era, { server }).text);
  const failed = (text: string, error: object, more: object = {}): object => ({
    jsonrpc: '2.0',
    id: 1,
    result: {
      content: [{ type: 'text', text }],
      isError: true,
      ...more,
      _meta: { 'pincer/error': error },
    },
  });

  it.each<[ErrorCode, string, string]>([
    ['SIGN_IN_NEEDED', 'Run `pincer login docs`, or /mcp auth docs in OpenClaw.', 'Run /mcp auth docs.'],
    [
      'APPROVAL_PENDING',
      'Run `pincer approvals allow 3f2a91`. Then repeat it.',
      'Run `/mcp approvals allow 3f2a91`. Then repeat it.',
    ],
    [
      'SERVER_UNREACHABLE',
      'Run `pincer doctor`, then check servers.docs.',
      'Run `openclaw pincer doctor`, then check servers.docs. See its state: /mcp status docs',
    ],
    [
      'TOOL_UNKNOWN',
      'Ask for the list of tools again.',
      'Ask for the list of tools again. See what it offers: /mcp tools docs. If it was disconnected: /mcp connect docs',
    ],
    [
      'POLICY_DENIED',
      'Change servers.docs.policy in the configuration.',
      'Change servers.docs.policy in the configuration.',
    ],
  ])('%s is a result with a chat command as the next step', (code, hint, inChat) => {
    const reason = new PincerError(code, 'Größe.', { hint, data: { approval: 'x' } });
    expect(shown(notExecuted(reason), 'docs')).toEqual(
      failed(`Größe.\n${inChat}`, { approval: 'x', code, outcome: 'not_executed', hint: inChat }),
    );
  });

  it('names a command even without a hint, and no server if the connection leads to all', () => {
    const reason = new PincerError('SERVER_GONE', 'Lost.');
    const hint = 'See: /mcp servers';
    expect(shown(outcomeUnknown(reason), undefined, 'modern')).toEqual(
      failed(
        `Lost.\n${hint}`,
        { code: 'SERVER_GONE', outcome: 'outcome_unknown', hint },
        {
          resultType: 'complete',
        },
      ),
    );
  });

  it('keeps the server’s own JSON-RPC error unchanged in a result', () => {
    const error = toByteText('{"code":-32602,"message":"größe","data":{"n":1.0}}');
    const { text, status } = outcomeText('1', { kind: 'tool_error', error, extra: ',"t":2' }, 'legacy', {
      server: 'docs',
    });
    expect(text).toBe(
      toByteText(
        '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"größe"}],"isError":true,',
      ) + `"_meta":{"pincer/error":{"code":"TOOL_ERROR","outcome":"tool_error","error":${error}}}},"t":2}`,
    );
    expect(status).toBe(200);
  });
});
