/** Which server a request is for, and what it is called there. */
import { mayUse, mayUseServer, type Caller, type ScopedTool } from '../caller.ts';
import type { CatalogReader, CatalogTool, View } from '../catalog/catalog.ts';
import { PincerError } from '../errors.ts';
import type { TaskBook } from './task-book.ts';
import { parseBytes, quoted, type ByteText } from '../wire/byte-text.ts';
import {
  DuplicateKeyError,
  editMembers,
  findMember,
  isObject,
  readMembers,
  writeMembers,
  type Member,
} from '../wire/members.ts';

/** A request as a surface has it: names as the view shows them. */
export interface Addressed {
  readonly caller: Caller;
  readonly view: View;
  readonly method: string;
  readonly params: readonly Member[];
}

export interface Route {
  readonly server: string;
  /** What it is about, as the server calls it. */
  readonly name: string;
  /** Members of `params` as the server is to get them. */
  readonly params: readonly Member[];
  /** What policy decides on. */
  readonly scoped: ScopedTool;
  readonly tool: CatalogTool | undefined;
}

/** The request itself is malformed; `message` says how. */
export class BadParamsError extends Error {}

export interface RouteParts {
  readonly catalog: CatalogReader;
  readonly tasks: TaskBook;
}

/** Undefined: nobody offers that, or this caller may not use it, which it cannot tell apart. */
export function findRoute(parts: RouteParts, request: Addressed): Route | undefined {
  switch (request.method) {
    case 'tools/call':
      return toTool(parts.catalog, request);
    case 'prompts/get':
      return toPrompt(parts.catalog, request);
    case 'completion/complete':
      return toCompletion(parts.catalog, request);
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return toResource(parts.catalog, request, stringParam(request, 'uri'));
    default:
      return toTask(parts.tasks, request);
  }
}

function toTool(catalog: CatalogReader, request: Addressed): Route | undefined {
  const shown = stringParam(request, 'name');
  const args = findMember(request.params, 'arguments');
  if (args !== undefined && !isObject(args)) throw new BadParamsError('"params.arguments" is an object.');
  const tool = catalog.resolve(request.view, shown);
  if (tool === undefined || !mayUse(request.caller.scopes, tool)) return undefined;
  const { server, name } = tool;
  return { server, name, params: renamed(request.params, shown, name), scoped: tool, tool };
}

function toPrompt(catalog: CatalogReader, request: Addressed): Route | undefined {
  const shown = stringParam(request, 'name');
  const prompt = catalog.prompt(request.view, shown);
  if (prompt === undefined) return undefined;
  return toServer(prompt.server, prompt.name, renamed(request.params, shown, prompt.name), request);
}

function toResource(catalog: CatalogReader, request: Addressed, uri: string): Route | undefined {
  // Among servers that list the same URI, the first that the caller may use answers it.
  const server = catalog.ownerOf(request.view, uri, (name) => mayUseServer(request.caller.scopes, name));
  return server === undefined ? undefined : toServer(server, uri, request.params, request);
}

function toCompletion(catalog: CatalogReader, request: Addressed): Route | undefined {
  const ref = findMember(request.params, 'ref');
  if (ref === undefined || !isObject(ref)) throw new BadParamsError('"params.ref" is an object.');
  const members = readRef(ref);
  const { type, name, uri } = parseBytes(ref) as Record<string, unknown>;
  if (type === 'ref/resource' && typeof uri === 'string') return toResource(catalog, request, uri);
  if (type !== 'ref/prompt' || typeof name !== 'string')
    throw new BadParamsError('"params.ref" names a prompt or a resource.');
  const prompt = catalog.prompt(request.view, name);
  if (prompt === undefined) return undefined;
  const renamedRef = writeMembers(members, { name: quoted(prompt.name) });
  return toServer(prompt.server, prompt.name, editMembers(request.params, { ref: renamedRef }), request);
}

function readRef(ref: ByteText): readonly Member[] {
  try {
    return readMembers(ref);
  } catch (error) {
    // Policy and server could otherwise read different names out of one reference.
    if (error instanceof DuplicateKeyError) throw new BadParamsError(`"params.ref": ${error.message}`);
    throw error;
  }
}

function toTask(tasks: TaskBook, request: Addressed): Route | undefined {
  const id = stringParam(request, 'taskId');
  const server = tasks.find(request.caller.id, id);
  if (server === undefined) return undefined;
  // Whoever may start a task may ask what became of it.
  const scoped = { server, name: '', readOnly: true };
  return { server, name: id, params: request.params, scoped, tool: undefined };
}

function toServer(
  server: string,
  name: string,
  params: readonly Member[],
  { caller }: Addressed,
): Route | undefined {
  if (!mayUseServer(caller.scopes, server)) return undefined;
  return { server, name, params, scoped: { server, name: '', readOnly: true }, tool: undefined };
}

function stringParam({ params }: Addressed, key: string): string {
  const raw = findMember(params, key);
  if (raw === undefined || !raw.startsWith('"')) throw new BadParamsError(`"params.${key}" is a string.`);
  return parseBytes(raw) as string;
}

const renamed = (params: readonly Member[], shown: string, name: string): readonly Member[] =>
  shown === name ? params : editMembers(params, { name: quoted(name) });

/** What to say when there is no route. */
export function unknownTarget({ method, params }: Addressed): PincerError {
  const text = (key: string): string => nameIn(findMember(params, key));
  switch (method) {
    case 'tools/call':
      return new PincerError('TOOL_UNKNOWN', `Unknown tool: ${text('name')}`, {
        hint: 'Ask for the list of tools again.',
      });
    case 'prompts/get':
      return new PincerError('PROMPT_UNKNOWN', `Unknown prompt: ${text('name')}`, {
        hint: 'Ask for the list of prompts again.',
      });
    case 'completion/complete':
      return new PincerError('PROMPT_UNKNOWN', 'No server offers the prompt or resource of this reference.', {
        hint: 'Ask for the list of prompts or of resource templates again.',
      });
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${text('uri')}`, {
        hint: 'Ask for the list of resources again.',
        data: { uri: text('uri') },
      });
    default:
      return new PincerError('TASK_UNKNOWN', `Unknown task: ${text('taskId')}`);
  }
}

const nameIn = (raw: ByteText | undefined): string =>
  raw?.startsWith('"') ? (parseBytes(raw) as string) : '';
