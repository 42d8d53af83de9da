/** Reads a server's offer, list by list and page by page. */
import {
  type Definition,
  parsePromptDefinition,
  parseResourceDefinition,
  parseTemplateDefinition,
} from '../../core/catalog/definition.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { EMPTY_OFFER, type ListKind, type Offer } from '../../core/catalog/offer.ts';
import type { Log } from '../../core/ports.ts';
import { RPC } from '../../core/protocol.ts';
import { readIntroduction, type ServerAbout } from '../../core/catalog/server-about.ts';
import { parseToolDefinition, type ToolDefinition } from '../../core/catalog/tool-definition.ts';
import { jsonBytes, parseBytes, type ByteText, detached } from '../../core/wire/byte-text.ts';
import { ownParams } from '../connection/call-params.ts';
import type { Connection } from '../connection/connection.ts';
import { findMember, isObject, readElements, readMembers } from '../../core/wire/members.ts';

export interface DiscoverOptions {
  readonly server: string;
  readonly timeoutMs: number;
  readonly limits: Limits;
  readonly log: Log;
  readonly isHttp: boolean;
}

type Connected = Pick<Connection, 'ask' | 'era'>;

/** Reads the whole offer; `result` is the server's handshake result. */
export function discoverOffer(
  connection: Connected,
  { result }: { readonly result: ByteText },
  options: DiscoverOptions,
): Promise<Offer> {
  const lists = new Lists(connection, readIntroduction(result, connection.era), options);
  return lists.renew(EMPTY_OFFER, ['tools', 'prompts', 'resources']);
}

/** Reads some lists again, after the server reported that they changed. */
export const discoverLists = (
  connection: Connected,
  kinds: readonly ListKind[],
  offer: Offer,
  options: DiscoverOptions,
): Promise<Offer> => new Lists(connection, offer.about, options).renew(offer, kinds);

interface ListMethod<T> {
  readonly method: string;
  readonly member: string;
  readonly parse: (raw: ByteText) => T | undefined;
}

const PROMPTS = { method: 'prompts/list', member: 'prompts', parse: parsePromptDefinition };
const RESOURCES = { method: 'resources/list', member: 'resources', parse: parseResourceDefinition };
const TEMPLATES = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  parse: parseTemplateDefinition,
};

class Lists {
  readonly #connection: Connected;
  readonly #about: ServerAbout;
  readonly #options: DiscoverOptions;
  #bytes = 0;

  constructor(connection: Connected, about: ServerAbout, options: DiscoverOptions) {
    this.#connection = connection;
    this.#about = about;
    this.#options = options;
  }

  async renew(offer: Offer, kinds: readonly ListKind[]): Promise<Offer> {
    const isNew = (kind: ListKind): boolean => kinds.includes(kind);
    this.#count(this.#about);
    const [tools, prompts, resources, templates] = await Promise.all([
      isNew('tools') ? this.#tools() : this.#keep(offer.tools),
      isNew('prompts') ? this.#ifDeclared('prompts', PROMPTS) : this.#keep(offer.prompts),
      isNew('resources') ? this.#ifDeclared('resources', RESOURCES) : this.#keep(offer.resources),
      isNew('resources') ? this.#ifDeclared('resources', TEMPLATES) : this.#keep(offer.templates),
    ]);
    return { about: this.#about, tools, prompts, resources, templates };
  }

  /** Always requested: some servers with tools do not declare them. */
  async #tools(): Promise<readonly ToolDefinition[]> {
    const { isHttp, log, server } = this.#options;
    const { era } = this.#connection;
    const parse = (raw: ByteText): ToolDefinition | undefined => parseToolDefinition(raw, era);
    const tools = await this.#entries({ method: 'tools/list', member: 'tools', parse });
    if (!isHttp || era !== 'modern') return tools;
    // The specification excludes such tools when arguments must go into headers.
    return tools.filter(({ name, headerProblem }) => {
      if (headerProblem !== undefined)
        log.warn(`server "${server}" has a tool that cannot be used`, { tool: name, reason: headerProblem });
      return headerProblem === undefined;
    });
  }

  async #ifDeclared<T extends Definition>(capability: string, list: ListMethod<T>): Promise<readonly T[]> {
    return this.#about.has(capability) ? this.#entries(list) : [];
  }

  async #entries<T extends Definition>(list: ListMethod<T>): Promise<T[]> {
    const { timeoutMs, limits } = this.#options;
    const { era } = this.#connection;
    const entries: T[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < limits.maxToolPages && entries.length < limits.maxToolsPerServer; page++) {
      const params = ownParams(era, cursor === undefined ? {} : { cursor: jsonBytes(cursor) });
      const answer = await this.#connection.ask(list.method, params, timeoutMs);
      if (answer.result === undefined) return onRefusal(list.method, answer.error!);
      const found = parseListPage(answer.result, list.member, list.parse);
      for (const entry of found.entries) {
        this.#count(entry);
        entries.push(entry);
      }
      // A repeated cursor would loop.
      if (found.nextCursor === undefined || found.nextCursor === cursor) break;
      cursor = found.nextCursor;
    }
    return entries.slice(0, limits.maxToolsPerServer);
  }

  #keep<T extends Definition>(definitions: readonly T[]): readonly T[] {
    for (const definition of definitions) this.#count(definition);
    return definitions;
  }

  #count({ raw }: { readonly raw: ByteText }): void {
    const { maxCatalogBytes } = this.#options.limits;
    this.#bytes += raw.length;
    if (this.#bytes > maxCatalogBytes) throw tooLarge(maxCatalogBytes);
  }
}

/** A server without such a list answers "method not found". */
function onRefusal(method: string, error: ByteText): [] {
  const { code, message } = (parseBytes(error) ?? {}) as { code?: unknown; message?: unknown };
  if (code === RPC.methodNotFound) return [];
  throw new PincerError('SERVER_PROTOCOL', `The server refused ${method}: ${String(message)}.`);
}

const tooLarge = (maxBytes: number): PincerError =>
  new PincerError('SERVER_PROTOCOL', `Its definitions are larger than ${maxBytes} bytes together.`, {
    hint: 'Raise limits.maxCatalogBytes if that is intended.',
  });

interface ListPage<T> {
  readonly entries: readonly T[];
  readonly nextCursor: string | undefined;
}

/** Parses one page of a server's list. An invalid entry is dropped, the rest of the list is kept. */
export function parseListPage<T>(
  result: ByteText,
  member: string,
  parse: (raw: ByteText) => T | undefined,
): ListPage<T> {
  const members = isObject(result) ? readMembers(result) : [];
  const list = findMember(members, member);
  const cursor = findMember(members, 'nextCursor');
  const elements = list?.startsWith('[') ? readElements(list) : [];
  return {
    entries: elements.flatMap((raw) => parse(detached(raw)) ?? []),
    nextCursor: cursor?.startsWith('"') ? (parseBytes(cursor) as string) : undefined,
  };
}
