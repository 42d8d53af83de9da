/** The headers of each message on its way to the proxy, in the words of its era. */
import { headerValues } from '../../core/call/header-params.ts';
import { parseToolDefinition, type ToolDefinition } from '../../core/catalog/tool-definition.ts';
import { MODERN_VERSION, type Era } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import { encodeHeader } from '../../servers/http/http-headers.ts';
import { envelopeVersion, NAMED_BY } from '../../mcp/modern-envelope.ts';

type Headers = Readonly<Record<string, string>>;

export interface RequestHeaders {
  /** Of the legacy era, once it is agreed on. */
  readonly version: string | undefined;
  of(message: Message, era: Era): Headers;
  /** Of the stream of the legacy era. */
  ofStream(): Headers;
  /** What the proxy has answered tells how to ask further. */
  learn(method: string, era: Era, result: ByteText): void;
}

export function createRequestHeaders(own: Headers): RequestHeaders {
  let version: string | undefined;
  const annotated = new Map<string, ToolDefinition>();

  const legacy = (): Headers =>
    version === undefined ? own : { ...own, 'mcp-protocol-version': encodeHeader(version) };

  function modern(message: Message): Headers {
    const { method = '', params } = message;
    const named = NAMED_BY.get(method);
    const name = named === undefined ? undefined : stringOf(findMember(params, named));
    return {
      ...own,
      'mcp-protocol-version': encodeHeader(envelopeVersion(message) ?? MODERN_VERSION),
      'mcp-method': encodeHeader(method),
      ...(name !== undefined && { 'mcp-name': encodeHeader(name) }),
      ...(method === 'tools/call' && name !== undefined && repeated(name, message)),
    };
  }

  /** Arguments that the tool wants to see in headers, too. */
  function repeated(tool: string, { params }: Message): Headers {
    const definition = annotated.get(tool);
    const args = findMember(params, 'arguments');
    if (definition === undefined || args === undefined || !isObject(args)) return {};
    const values = headerValues(definition, args);
    return Object.fromEntries(values.map(({ header, value }) => [header.toLowerCase(), encodeHeader(value)]));
  }

  function learnTools(result: ByteText): void {
    const tools = findMember(readMembers(result), 'tools');
    if (tools === undefined || !tools.startsWith('[')) return;
    for (const raw of readElements(tools)) {
      const definition = parseToolDefinition(raw, 'modern');
      if (definition === undefined) continue;
      if (definition.headerParams.length === 0) annotated.delete(definition.name);
      else annotated.set(definition.name, definition);
    }
  }

  return {
    get version() {
      return version;
    },
    of: (message, era) => (era === 'modern' ? modern(message) : legacy()),
    ofStream: legacy,
    learn(method, era, result) {
      if (!isObject(result)) return;
      if (method === 'initialize') version = stringOf(findMember(readMembers(result), 'protocolVersion'));
      else if (method === 'tools/list' && era === 'modern') learnTools(result);
    },
  };
}

const stringOf = (raw: ByteText | undefined): string | undefined =>
  raw?.startsWith('"') ? plainString(raw) : undefined;
