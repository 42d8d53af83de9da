/** Finds the server of a request, and the name of its target there. */
import { mayUse, mayUseServer, type Caller, type ScopedTool } from '../caller.ts';
import type { CatalogReader, CatalogTool, View } from '../catalog/catalog.ts';
import { PincerError } from '../errors.ts';
import { responsesToServer, type TaskBook } from './task-ids.ts';
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
import { plainString } from '../wire/message.ts';
import { canonicalDefinition } from '../trust/canonical-definition.ts';
import type { Call, CallsParts } from './calls.ts';
import { visible } from '../visible.ts';
import { acceptCommand } from '../trust/accept-command.ts';
import type { HeldTool } from '../trust/trust.ts';

/** A request from a surface, with the names that the view shows. */
export interface Addressed {
  readonly caller: Caller;
  readonly view: View;
  readonly method: string;
  readonly params: readonly Member[];
}

export interface Route {
  readonly server: string;
  /** The target's name at the server: a tool, prompt, URI or task. */
  readonly name: string;
  /** Members of `params` for the server. */
  readonly params: readonly Member[];
  /** What policy decides on. */
  readonly scoped: ScopedTool;
  readonly tool: CatalogTool | undefined;
}

/** The request is malformed; `message` says how. */
export class BadParamsError extends Error {}

export interface RouteParts {
  readonly catalog: CatalogReader;
  readonly tasks: TaskBook;
}

/** Undefined if unknown or forbidden; deliberately indistinguishable. */
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
      return toTask(parts, request);
  }
}

function toTool(catalog: CatalogReader, request: Addressed): Route | undefined {
  const shown = stringParam(request, 'name');
  const args = findMember(request.params, 'arguments');
  if (args !== undefined && !isObject(args))
    throw new BadParamsError('"params.arguments" must be an object.');
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
  // If several servers list the URI, the first one that the caller may use answers.
  const server = catalog.ownerOf(request.view, uri, (name) => mayUseServer(request.caller.scopes, name));
  return server === undefined ? undefined : toServer(server, uri, request.params, request);
}

function toCompletion(catalog: CatalogReader, request: Addressed): Route | undefined {
  const ref = findMember(request.params, 'ref');
  if (ref === undefined || !isObject(ref)) throw new BadParamsError('"params.ref" must be an object.');
  const members = readRef(ref);
  const { type, name, uri } = parseBytes(ref) as Record<string, unknown>;
  if (type === 'ref/resource' && typeof uri === 'string') return toResource(catalog, request, uri);
  if (type !== 'ref/prompt' || typeof name !== 'string')
    throw new BadParamsError('"params.ref" must name a prompt or a resource.');
  const prompt = catalog.prompt(request.view, name);
  if (prompt === undefined) return undefined;
  const renamedRef = writeMembers(members, { name: quoted(prompt.name) });
  return toServer(prompt.server, prompt.name, editMembers(request.params, { ref: renamedRef }), request);
}

function readRef(ref: ByteText): readonly Member[] {
  try {
    return readMembers(ref);
  } catch (error) {
    // Policy and server could otherwise read different names from one reference.
    if (error instanceof DuplicateKeyError) throw new BadParamsError(`"params.ref": ${error.message}`);
    throw error;
  }
}

function toTask({ catalog, tasks }: RouteParts, request: Addressed): Route | undefined {
  const { caller, view, params } = request;
  const found = tasks.find(caller.id, stringParam(request, 'taskId'));
  // The view of one server shows no tasks of another.
  if (found === undefined || !catalog.servers(view).includes(found.server)) return undefined;
  const { server, task } = found;
  const responses = findMember(params, 'inputResponses');
  const edited = editMembers(params, {
    taskId: quoted(task),
    ...(responses && { inputResponses: responsesToServer(responses, tasks.of(caller.id, server)) }),
  });
  // The caller that started a task may also read its state.
  return {
    server,
    name: task,
    params: edited,
    scoped: { server, name: '', readOnly: true },
    tool: undefined,
  };
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
  if (raw === undefined || !raw.startsWith('"'))
    throw new BadParamsError(`"params.${key}" must be a string.`);
  return plainString(raw);
}

const renamed = (params: readonly Member[], shown: string, name: string): readonly Member[] =>
  shown === name ? params : editMembers(params, { name: quoted(name) });

/** The error for a request without a route. */
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

/**
 * Checks a call that had to wait for a person or its server. Returns undefined if it still leads to the same target.
 */
export function lostMeanwhile(parts: CallsParts, call: Call, route: Route): PincerError | undefined {
  const now = findRoute(parts, call);
  if (now === undefined) return parts.withdrawn?.(call) ?? unknownTarget(call);
  return now.server === route.server && now.name === route.name ? undefined : changed(route);
}

/** As `lostMeanwhile`, and the tool's definition must be the one that the person allowed. */
export function changedMeanwhile(parts: CallsParts, call: Call, route: Route): PincerError | undefined {
  const now = findRoute(parts, call);
  if (now === undefined) return parts.withdrawn?.(call) ?? unknownTarget(call);
  if (now.server === route.server && now.name === route.name && isSameTool(now, route)) return undefined;
  return changed(route);
}

const changed = ({ server, name }: Route): PincerError =>
  new PincerError(
    'TOOL_WITHDRAWN',
    `${visible(`${server}.${name}`)} changed while the call waited. It was not run.`,
    { hint: 'Ask for the list of tools again, then send the call again.' },
  );

function isSameTool({ tool: now }: Route, { tool: then }: Route): boolean {
  if (now === undefined || then === undefined) return now === then;
  if (now.definition.raw === then.definition.raw) return true;
  return canonicalDefinition(now.definition.raw) === canonicalDefinition(then.definition.raw);
}

interface WithdrawnParts {
  readonly catalog: Pick<CatalogReader, 'withheld'>;
  held(server: string): readonly Pick<HeldTool, 'tool' | 'why'>[];
}

/**
 * The error for a tool that is held until a person accepts it. Returns undefined if no such tool is held, or if this
 * caller may not use it.
 */
export function findWithdrawn(parts: WithdrawnParts, request: Addressed): PincerError | undefined {
  const { method, view, params, caller } = request;
  const raw = findMember(params, 'name');
  if (method !== 'tools/call' || !raw?.startsWith('"')) return undefined;
  const found = parts.catalog.withheld(view, parseBytes(raw) as string);
  if (found === undefined || !mayUse(caller.scopes, { ...found, readOnly: false })) return undefined;
  const { server, name: tool } = found;
  const why = parts.held(server).find((each) => each.tool === tool)?.why;
  const name = visible(`${server}.${tool}`);
  return new PincerError(
    'TOOL_WITHDRAWN',
    why === 'changed'
      ? `${name} has changed since it was accepted. It was not run.`
      : `${name} has not been accepted yet. It was not run.`,
    { hint: `Ask the person who runs Pincer to look at it: ${acceptCommand(server, tool)}` },
  );
}
