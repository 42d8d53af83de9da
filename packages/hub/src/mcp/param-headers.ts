/** `Mcp-Param-*`: arguments that HTTP headers repeat, so that gateways can route without reading the body. */
import type { CatalogReader } from '../core/catalog/catalog.ts';
import { checkHeaderParams } from '../core/call/header-params.ts';
import { findMember, isObject } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import type { Sender } from './dispatch.ts';
import { decodeHeader, mismatch } from './modern-envelope.ts';
import type { RpcFailure } from './reply.ts';

export function checkParamHeaders(
  catalog: CatalogReader,
  message: Message,
  { view, headers }: Sender,
): RpcFailure | undefined {
  const name = findMember(message.params, 'name');
  if (headers === undefined || !name?.startsWith('"')) return undefined;
  const definition = catalog.resolve(view, plainString(name))?.definition;
  if (definition === undefined || definition.headerParams.length === 0) return undefined;
  const args = findMember(message.params, 'arguments');
  // The method itself says what is wrong with such arguments.
  if (args !== undefined && !isObject(args)) return undefined;
  const wrong = checkHeaderParams(definition, args, (header) => decodeHeader(headers(header)));
  return wrong === undefined ? undefined : mismatch(wrong);
}
