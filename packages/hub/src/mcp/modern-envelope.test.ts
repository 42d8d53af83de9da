import { describe, expect, it } from 'vitest';
import { META_KEY, MODERN_VERSION, SUPPORTED_VERSIONS } from '../core/protocol.ts';
import { toByteText } from '../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../core/wire/message.ts';
import {
  checkEnvelope,
  checkHeaders,
  decodeHeader,
  envelopeVersion,
  unsupported,
  type ModernHeaders,
} from './modern-envelope.ts';

const message = (params: object, method = 'tools/call'): Message =>
  parseMessage(toByteText(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));

const META = { [META_KEY.protocolVersion]: MODERN_VERSION, [META_KEY.clientCapabilities]: {} };

describe('envelopeVersion', () => {
  it.each<[object, string | undefined]>([
    [{ _meta: META }, MODERN_VERSION],
    [{ _meta: { [META_KEY.protocolVersion]: '2099-01-01' } }, '2099-01-01'],
    [{ _meta: { [META_KEY.protocolVersion]: 7 } }, undefined],
    [{ _meta: { progressToken: 1 } }, undefined],
    [{ _meta: {} }, undefined],
    [{ [META_KEY.protocolVersion]: MODERN_VERSION }, undefined],
    [{}, undefined],
  ])('of params %j is %s', (params, version) => {
    expect(envelopeVersion(message(params))).toBe(version);
  });
});

describe('checkEnvelope', () => {
  it('accepts a complete envelope', () => {
    expect(checkEnvelope(message({ _meta: META }))).toBeUndefined();
    expect(checkEnvelope(message({ _meta: { ...META, 'com.example/x': 1 } }))).toBeUndefined();
  });

  it.each<[string, object, number, string]>([
    ['no params', {}, -32602, META_KEY.protocolVersion],
    ['no version', { _meta: { [META_KEY.clientCapabilities]: {} } }, -32602, META_KEY.protocolVersion],
    [
      'no capabilities',
      { _meta: { [META_KEY.protocolVersion]: MODERN_VERSION } },
      -32602,
      META_KEY.clientCapabilities,
    ],
    [
      'capabilities null',
      { _meta: { ...META, [META_KEY.clientCapabilities]: null } },
      -32602,
      META_KEY.clientCapabilities,
    ],
    [
      'capabilities []',
      { _meta: { ...META, [META_KEY.clientCapabilities]: [] } },
      -32602,
      META_KEY.clientCapabilities,
    ],
    [
      'a later version',
      { _meta: { ...META, [META_KEY.protocolVersion]: '2099-01-01' } },
      -32022,
      '2099-01-01',
    ],
    [
      'a legacy version',
      { _meta: { ...META, [META_KEY.protocolVersion]: '2025-11-25' } },
      -32022,
      '2025-11-25',
    ],
  ])('refuses %s', (_what, params, code, named) => {
    const failure = checkEnvelope(message(params))!;
    expect(failure).toMatchObject({ code, status: 400 });
    expect(failure.message).toContain(named);
  });

  it.each(['debug', 'emergency'])('accepts the log level %s', (level) => {
    expect(checkEnvelope(message({ _meta: { ...META, [META_KEY.logLevel]: level } }))).toBeUndefined();
  });

  it.each(['loud', 7, null, ''])('refuses the log level %j', (level) => {
    const failure = checkEnvelope(message({ _meta: { ...META, [META_KEY.logLevel]: level } }))!;
    expect(failure).toMatchObject({ code: -32602, status: 400 });
    expect(failure.message).toContain(META_KEY.logLevel);
  });

  it('lists the supported versions', () => {
    expect(unsupported('1999-01-01')).toEqual({
      code: -32022,
      message: 'Protocol version 1999-01-01 is not supported.',
      data: { supported: SUPPORTED_VERSIONS, requested: '1999-01-01' },
      status: 400,
    });
  });
});

describe('checkHeaders', () => {
  const call = (name: string): Message => message({ name, _meta: META });
  const headers = (name: string | undefined, over: ModernHeaders = {}): ModernHeaders => ({
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...over,
  });
  const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

  it.each([
    ['the name', 'github__search', 'github__search'],
    ['the name, encoded without need', 'github__search', encoded('github__search')],
    ['a name that must be encoded', 'größe', encoded('größe')],
    ['a name with spaces around it', ' x ', encoded(' x ')],
    ['a name that looks encoded', '=?base64?eA==?=', encoded('=?base64?eA==?=')],
  ])('accepts %s', (_what, name, header) => {
    expect(checkHeaders(call(name), headers(header))).toBeUndefined();
  });

  it.each<[string, string, ModernHeaders]>([
    ['another name', 'Mcp-Name', headers('github__delete')],
    ['no name', 'Mcp-Name', headers(undefined)],
    ['an empty name', 'Mcp-Name', headers('')],
    ['another spelling of the name', 'Mcp-Name', headers('GitHub__search')],
    ['the encoding of another name', 'Mcp-Name', headers(encoded('github__delete'))],
    ['another method', 'Mcp-Method', headers('github__search', { 'mcp-method': 'tools/list' })],
    ['no method', 'Mcp-Method', headers('github__search', { 'mcp-method': undefined })],
    [
      'another version',
      'MCP-Protocol-Version',
      headers('github__search', { 'mcp-protocol-version': '2025-11-25' }),
    ],
    ['no version', 'MCP-Protocol-Version', headers('github__search', { 'mcp-protocol-version': undefined })],
  ])('refuses %s', (_what, header, given) => {
    expect(checkHeaders(call('github__search'), given)).toEqual({
      code: -32020,
      message: `The ${header} header does not match the body.`,
      status: 400,
    });
  });

  it.each<[string, object, string]>([
    ['prompts/get', { name: 'github__review' }, 'github__review'],
    ['resources/read', { uri: 'file:///größe' }, encoded('file:///größe')],
    ['tasks/get', { taskId: 't1' }, 't1'],
  ])('compares the target of %s', (method, params, name) => {
    const request = message({ ...params, _meta: META }, method);
    const over = { 'mcp-method': method };
    expect(checkHeaders(request, headers(name, over))).toBeUndefined();
    expect(checkHeaders(request, headers('other', over))?.message).toContain('Mcp-Name');
    expect(checkHeaders(request, headers(undefined, over))?.message).toContain('Mcp-Name');
  });

  it('refuses a call whose body has no name to compare', () => {
    expect(checkHeaders(message({ _meta: META }), headers(undefined))?.code).toBe(-32020);
    expect(checkHeaders(message({ name: 7, _meta: META }), headers('7'))?.code).toBe(-32020);
  });

  it('runs after the check for missing values and before the one for unknown values', () => {
    const missing = message({ name: 'x', _meta: { [META_KEY.protocolVersion]: MODERN_VERSION } });
    expect(checkEnvelope(missing, headers('y'))?.code).toBe(-32602);
    const later = message({ name: 'x', _meta: { ...META, [META_KEY.protocolVersion]: '2099-01-01' } });
    expect(checkEnvelope(later, headers('x'))?.code).toBe(-32020);
    expect(checkEnvelope(later, headers('x', { 'mcp-protocol-version': '2099-01-01' }))?.code).toBe(-32022);
    expect(checkEnvelope(call('x'), headers('x'))).toBeUndefined();
  });

  it('refuses a version that only the header names', () => {
    expect(checkHeaders(message({ name: 'x' }), headers('x'))?.message).toContain('MCP-Protocol-Version');
  });

  it('requires a name only for methods that have one', () => {
    const list = message({ _meta: META }, 'tools/list');
    expect(
      checkHeaders(list, { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'tools/list' }),
    ).toBeUndefined();
  });
});

describe('decodeHeader', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['=?base64??=', ''],
    ['=?base64?SGVsbG8sIOS4lueVjA==?=', 'Hello, 世界'],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['=?base64?SGVsbG8?=', undefined],
    ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64?not base64?=', undefined],
    ['=?base64?S?=', undefined],
    [undefined, undefined],
  ])('%j is %j', (header, value) => {
    expect(decodeHeader(header)).toBe(value);
  });
});
