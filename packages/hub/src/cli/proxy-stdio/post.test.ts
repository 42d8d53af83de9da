import { describe, expect, it } from 'vitest';
import { callText, listText, paramsText, request } from '../../../../../test/kit/messages.ts';
import { checkEnvelope } from '../../mcp/modern-envelope.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { createRequestHeaders } from './post.ts';

const OWN = { authorization: 'Bearer t' };
const VERSION = 'mcp-protocol-version';

describe('the legacy era', () => {
  it('sends the version only after it was negotiated', () => {
    const headers = createRequestHeaders(OWN);
    const message = parseMessage(listText());
    expect(headers.of(message, 'legacy')).toEqual(OWN);
    headers.learn('initialize', 'legacy', '{"protocolVersion":"2025-03-26"}');
    expect(headers.of(message, 'legacy')).toEqual({ ...OWN, [VERSION]: '2025-03-26' });
    expect(headers.ofStream()).toEqual({ ...OWN, [VERSION]: '2025-03-26' });
  });
});

describe('the modern era', () => {
  const modern = (method: string, members: string) =>
    parseMessage(request(method, paramsText('modern', members)));

  it.each([
    modern('tools/list', ''),
    modern('tools/call', '"name":"echo","arguments":{}'),
    modern('tools/call', '"name":"gr\\u00fc\\u00dfe","arguments":{}'),
    modern('prompts/get', '"name":"p"'),
    modern('resources/read', '"uri":"file:///a b"'),
    modern('subscriptions/listen', '"notifications":{}'),
  ])('repeats the body in headers: $method', (message) => {
    expect(checkEnvelope(message, createRequestHeaders(OWN).of(message, 'modern'))).toBeUndefined();
  });

  it('omits the name if the body has none', () => {
    const headers = createRequestHeaders(OWN).of(modern('tools/call', '"name":7'), 'modern');
    expect(headers).toEqual({ ...OWN, [VERSION]: '2026-07-28', 'mcp-method': 'tools/call' });
  });

  it('repeats the arguments that a listed tool requires in headers', () => {
    const headers = createRequestHeaders(OWN);
    const call = parseMessage(callText('t', { era: 'modern', args: '{"city":"Z\u00c3\u00bcrich","n":7}' }));
    const schema = (extra: string): string =>
      `{"type":"object","properties":{"city":{"type":"string"${extra}},"n":{"type":"integer"}}}`;
    const list = (extra: string): string => `{"tools":[7,{"name":"t","inputSchema":${schema(extra)}}]}`;
    expect(headers.of(call, 'modern')).not.toHaveProperty('mcp-param-city');
    headers.learn('tools/list', 'modern', list(',"x-mcp-header":"City"'));
    expect(headers.of(call, 'modern')).toMatchObject({ 'mcp-param-city': '=?base64?WsO8cmljaA==?=' });
    headers.learn('tools/list', 'modern', list(''));
    expect(headers.of(call, 'modern')).not.toHaveProperty('mcp-param-city');
  });
});
