/**
 * Replaces task ids in messages, wherever the protocol has them: a server's id becomes the hub's on the way to the
 * caller, and back. All other bytes stay unchanged.
 */
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
import { unreadable } from '../eras/in-era.ts';
import type { Client } from '../client.ts';
import type { Outcome } from '../outcome.ts';
import type { Answer, Asked, Exchange, Question, SourceRequest } from '../request.ts';
import { correlationId } from '../../lib/correlation-id.ts';

/** 2025-11-25 "Tasks", related task metadata. */
export const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

/** Returns undefined if the caller has no such task. */
type Rename = (id: string) => string | undefined;
/** Returns undefined to leave the value out. */
type Edit = (raw: ByteText) => ByteText | undefined;
type Edits = Readonly<Record<string, Edit>>;

/** A longer result, such as one with an image, cannot be a new task and is not searched for task ids. */
const MAX_CREATED = 256 * 1024;

/** Renames task ids in a result for the caller. Only `tools/call` and `tasks/*` return task ids. */
export function resultToCaller(result: ByteText, method: string, { toCaller }: TaskIds): ByteText {
  if (method.startsWith('tasks/')) return edit(result, taskEdits(toCaller));
  if (method !== 'tools/call' || result.length > MAX_CREATED || !result.includes('taskId')) return result;
  return edit(result, isTask(result) ? taskEdits(toCaller) : callEdits(toCaller));
}

/** `params` of a notification for the caller. */
export const noticeToCaller = (method: string, params: ByteText, { toCaller }: TaskIds): ByteText =>
  edit(params, method.startsWith('notifications/tasks') ? taskEdits(toCaller) : relatedEdits(toCaller));

/** `params` of a server's question for the caller. */
export const questionToCaller = (params: ByteText, { toCaller }: TaskIds): ByteText =>
  edit(params, relatedEdits(toCaller));

/** A client's answer for the server. */
export const answerToServer = (result: ByteText, { toServer }: TaskIds): ByteText =>
  edit(result, relatedEdits(toServer));

/**
 * Members of a request's `_meta` for the server. Returns undefined if they name a task that the caller does not have
 * there.
 */
export function metaToServer(meta: readonly Member[], { toServer }: TaskIds): readonly Member[] | undefined {
  const related = findMember(meta, RELATED_TASK_KEY);
  const named = related === undefined ? undefined : renamedIn(related, toServer);
  if (related === named) return meta;
  return named === undefined ? undefined : editMembers(meta, { [RELATED_TASK_KEY]: named });
}

/** `inputResponses` of `tasks/update` for the server. */
export const responsesToServer = (responses: ByteText, { toServer }: TaskIds): ByteText =>
  editEach(responses, (answer) => edit(answer, relatedEdits(toServer)));

/** Renames the related task in `_meta`. */
const relatedEdits = (rename: Rename): Edits => ({
  _meta: (meta) => edit(meta, { [RELATED_TASK_KEY]: (related) => renamedIn(related, rename) }),
});

/** `CreateTaskResult` of 2025-11-25. */
const callEdits = (rename: Rename): Edits => ({
  ...relatedEdits(rename),
  task: (task) => renamedIn(task, rename),
});

/**
 * A task, with the members that the 2026-07-28 extension adds: the server's questions, and finally the call's result.
 */
const taskEdits = (rename: Rename): Edits => ({
  ...callEdits(rename),
  taskId: (raw) => renamed(raw, rename),
  result: (result) => edit(result, relatedEdits(rename)),
  inputRequests: (requests) =>
    editEach(requests, (request) =>
      edit(request, { params: (params) => edit(params, relatedEdits(rename)) }),
    ),
});

/** Renames `taskId` in an object. Returns undefined if the caller has no such task. */
function renamedIn(raw: ByteText, rename: Rename): ByteText | undefined {
  const id = isObject(raw) ? membersOf(raw)?.find(({ key }) => key === 'taskId')?.raw : undefined;
  if (id === undefined) return raw;
  const taskId = renamed(id, rename);
  return taskId === undefined ? undefined : edit(raw, { taskId: () => taskId });
}

/** A value that is not a string names no task and stays unchanged. */
function renamed(raw: ByteText, rename: Rename): ByteText | undefined {
  if (!raw.startsWith('"')) return raw;
  const id = rename(parseBytes(raw) as string);
  return id === undefined ? undefined : quoted(id);
}

/** Returns the same bytes if nothing changes. */
function edit(raw: ByteText, edits: Edits): ByteText {
  if (!raw.includes('taskId') || !isObject(raw)) return raw;
  const members = membersOf(raw) ?? [];
  const replace: Record<string, ByteText | undefined> = {};
  for (const { key, raw: value } of members) {
    if (!Object.hasOwn(edits, key)) continue;
    const changed = edits[key]!(value);
    if (changed !== value) replace[key] = changed;
  }
  return Object.keys(replace).length === 0 ? raw : writeMembers(members, replace);
}

function editEach(raw: ByteText, change: (value: ByteText) => ByteText): ByteText {
  const members = raw.includes('taskId') && isObject(raw) ? membersOf(raw) : undefined;
  if (members === undefined) return raw;
  const replace = Object.fromEntries(members.map(({ key, raw: value }) => [key, change(value)]));
  return writeMembers(members, replace);
}

/**
 * Returns undefined on a duplicate key: parsers disagree on which value counts, and an id that is not renamed is
 * useless to the caller.
 */
function membersOf(raw: ByteText): readonly Member[] | undefined {
  try {
    return readMembers(raw);
  } catch (error) {
    if (error instanceof DuplicateKeyError) return undefined;
    throw error;
  }
}

/** The extension returns the task itself as the result of the call. */
const isTask = (result: ByteText): boolean =>
  isObject(result) && findMember(membersOf(result) ?? [], 'resultType') === '"task"';

/** The source's end of one request: renames the server's task ids to the hub's on the way to the caller, and back. */
export class TaskIdExchange implements Exchange {
  readonly #exchange: Exchange;
  readonly #method: string;
  readonly #ids: TaskIds;

  constructor(exchange: Exchange, method: string, ids: TaskIds) {
    this.#exchange = exchange;
    this.#method = method;
    this.#ids = ids;
  }

  notify(notice: string, params: ByteText): void {
    this.#exchange.notify(notice, noticeToCaller(notice, params, this.#ids));
  }

  ask(question: Question): Asked {
    return this.#exchange.ask(renamedQuestion(question, this.#ids));
  }

  settle(outcome: Outcome): void {
    this.#exchange.settle(renamedOutcome(outcome, this.#method, this.#ids));
  }
}

/** The client of a request, for messages outside of calls. */
export function clientOf({ client, tasks }: Pick<SourceRequest, 'client' | 'tasks'>): Client {
  if (tasks === undefined) return client;
  return {
    session: client.session,
    get abilities() {
      return client.abilities;
    },
    get info() {
      return client.info;
    },
    get logLevel() {
      return client.logLevel;
    },
    get readsLines() {
      return client.readsLines;
    },
    notify: (method, params) => client.notify(method, noticeToCaller(method, params, tasks)),
    ask: (question) => client.ask(renamedQuestion(question, tasks)),
  };
}

function renamedOutcome(outcome: Outcome, method: string, ids: TaskIds): Outcome {
  if (!('result' in outcome)) return outcome;
  try {
    const result = resultToCaller(outcome.result, method, ids);
    return result === outcome.result ? outcome : { ...outcome, result, pieces: undefined };
  } catch (error) {
    return unreadable(error);
  }
}

const renamedQuestion = ({ method, params, answer }: Question, ids: TaskIds): Question => ({
  method,
  params: questionToCaller(params, ids),
  answer: (given) => answer(renamedAnswer(given, ids)),
});

const renamedAnswer = (answer: Answer, ids: TaskIds): Answer =>
  'result' in answer ? { result: answerToServer(answer.result, ids) } : answer;

/** The task ids of one caller at one server. */
export interface TaskIds {
  /** The hub's id for a task of the server; always the same for the same task. */
  toCaller(task: string): string;
  /** The server's id; undefined if the caller has no such task at this server. */
  toServer(id: string): string | undefined;
}

/**
 * The hub's own task ids. Servers choose their ids independently, so two servers may use the same one. A caller sees
 * only the hub's ids: random, and valid for one caller and one server.
 */
export interface TaskBook {
  of(caller: string, server: string): TaskIds;
  /** Undefined if unknown or another caller's; deliberately indistinguishable. */
  find(caller: string, id: string): FoundTask | undefined;
}

interface FoundTask {
  readonly server: string;
  /** The server's own id. */
  readonly task: string;
}

interface KeptTask extends FoundTask {
  readonly origin: string | undefined;
}

interface CallerTasks {
  readonly byId: Map<string, KeptTask>;
  /** By server, then by the server's id. */
  readonly ids: Map<string, Map<string, string>>;
}

/** Tasks remembered per caller and server; the oldest is forgotten first. A longer id is not remembered. */
const MAX_TASKS = 10_000;
const MAX_ID = 1_024;

/** `origin` identifies the server behind a name: if another program gets the name, it has none of the old tasks. */
export function createTaskBook(origin: (server: string) => string | undefined = () => undefined): TaskBook {
  const byCaller = new Map<string, CallerTasks>();

  function find(caller: string, id: string): KeptTask | undefined {
    const kept = byCaller.get(caller)?.byId.get(id);
    return kept !== undefined && kept.origin === origin(kept.server) ? kept : undefined;
  }

  function tasksOf(caller: string): CallerTasks {
    const tasks = byCaller.get(caller) ?? { byId: new Map(), ids: new Map() };
    byCaller.set(caller, tasks);
    return tasks;
  }

  function idOf(caller: string, server: string, task: string): string {
    const { byId, ids } = tasksOf(caller);
    const known = ids.get(server)?.get(task);
    if (known !== undefined && find(caller, known) !== undefined) return known;
    const id = correlationId();
    if (task.length > MAX_ID) return id;
    const ofServer = ids.get(server) ?? new Map<string, string>();
    ids.set(server, ofServer);
    if (known !== undefined) byId.delete(known);
    ofServer.set(task, id);
    byId.set(id, { server, task, origin: origin(server) });
    if (ofServer.size > MAX_TASKS) {
      const [oldest, its] = ofServer.entries().next().value!;
      ofServer.delete(oldest);
      byId.delete(its);
    }
    return id;
  }

  return {
    of: (caller, server) => ({
      toCaller: (task) => idOf(caller, server, task),
      toServer(id) {
        const found = find(caller, id);
        return found?.server === server ? found.task : undefined;
      },
    }),
    find,
  };
}
