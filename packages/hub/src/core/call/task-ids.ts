/**
 * Task ids in messages, where the protocol has them: a server's id becomes the hub's on the way to the caller, and the
 * hub's becomes the server's on the way back. Everything else stays as the bytes that came.
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

/** A result with a picture in it is not put together in memory only to be searched: a new task takes few words. */
const MAX_CREATED = 256 * 1024;

/** A result as the caller gets it. Only calls of tools and questions about tasks are answered with task ids. */
export function resultToCaller(result: ByteText, method: string, { toCaller }: TaskIds): ByteText {
  if (method.startsWith('tasks/')) return edit(result, taskEdits(toCaller));
  if (method !== 'tools/call' || result.length > MAX_CREATED || !result.includes('taskId')) return result;
  return edit(result, isTask(result) ? taskEdits(toCaller) : callEdits(toCaller));
}

/** `params` of a notification as the caller gets them. */
export const noticeToCaller = (method: string, params: ByteText, { toCaller }: TaskIds): ByteText =>
  edit(params, method.startsWith('notifications/tasks') ? taskEdits(toCaller) : relatedEdits(toCaller));

/** `params` of a server's question as the caller gets them. */
export const questionToCaller = (params: ByteText, { toCaller }: TaskIds): ByteText =>
  edit(params, relatedEdits(toCaller));

/** A client's answer as the server gets it. */
export const answerToServer = (result: ByteText, { toServer }: TaskIds): ByteText =>
  edit(result, relatedEdits(toServer));

/** Members of a request's `_meta` as the server gets them; undefined if they name a task that the caller does not have there. */
export function metaToServer(meta: readonly Member[], { toServer }: TaskIds): readonly Member[] | undefined {
  const related = findMember(meta, RELATED_TASK_KEY);
  const named = related === undefined ? undefined : renamedIn(related, toServer);
  if (related === named) return meta;
  return named === undefined ? undefined : editMembers(meta, { [RELATED_TASK_KEY]: named });
}

/** `inputResponses` of `tasks/update` as the server gets them. */
export const responsesToServer = (responses: ByteText, { toServer }: TaskIds): ByteText =>
  editEach(responses, (answer) => edit(answer, relatedEdits(toServer)));

/** `_meta` of a message, wherever it stands. */
const relatedEdits = (rename: Rename): Edits => ({
  _meta: (meta) => edit(meta, { [RELATED_TASK_KEY]: (related) => renamedIn(related, rename) }),
});

/** `CreateTaskResult` of 2025-11-25. */
const callEdits = (rename: Rename): Edits => ({
  ...relatedEdits(rename),
  task: (task) => renamedIn(task, rename),
});

/** A task, and what the extension of 2026-07-28 has in it: the server's questions, and at last the call's result. */
const taskEdits = (rename: Rename): Edits => ({
  ...callEdits(rename),
  taskId: (raw) => renamed(raw, rename),
  result: (result) => edit(result, relatedEdits(rename)),
  inputRequests: (requests) =>
    editEach(requests, (request) =>
      edit(request, { params: (params) => edit(params, relatedEdits(rename)) }),
    ),
});

/** An object that names a task; undefined if the caller has no such task. */
function renamedIn(raw: ByteText, rename: Rename): ByteText | undefined {
  const id = isObject(raw) ? membersOf(raw)?.find(({ key }) => key === 'taskId')?.raw : undefined;
  if (id === undefined) return raw;
  const taskId = renamed(id, rename);
  return taskId === undefined ? undefined : edit(raw, { taskId: () => taskId });
}

/** What is no string names no task. */
function renamed(raw: ByteText, rename: Rename): ByteText | undefined {
  if (!raw.startsWith('"')) return raw;
  const id = rename(parseBytes(raw) as string);
  return id === undefined ? undefined : quoted(id);
}

/** The same bytes where nothing is edited. */
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

/** Undefined if a key occurs twice: which value counts is the reader's guess, and an id that is left leads nowhere. */
function membersOf(raw: ByteText): readonly Member[] | undefined {
  try {
    return readMembers(raw);
  } catch (error) {
    if (error instanceof DuplicateKeyError) return undefined;
    throw error;
  }
}

/** The extension answers a call with the task itself. */
const isTask = (result: ByteText): boolean =>
  isObject(result) && findMember(membersOf(result) ?? [], 'resultType') === '"task"';

/** The source's end of one request: a server's task ids become the hub's on the way to the caller, and back. */
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

/** The client of a request as its source reaches it outside of calls. */
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
  answer: (said) => answer(renamedAnswer(said, ids)),
});

const renamedAnswer = (said: Answer, ids: TaskIds): Answer =>
  'result' in said ? { result: answerToServer(said.result, ids) } : said;

/** The ids of one caller's tasks at one server. */
export interface TaskIds {
  /** The hub's id for a task of the server; the same each time. */
  toCaller(task: string): string;
  /** The server's id; undefined if the caller has no such task at this server. */
  toServer(id: string): string | undefined;
}

/**
 * The hub's own ids for tasks. Each server makes up its ids by itself, so two servers may use the same one. A caller
 * sees only ids of the hub: random, and good for one caller and one server.
 */
export interface TaskBook {
  of(caller: string, server: string): TaskIds;
  /** Undefined if unknown, or another caller's; deliberately indistinguishable. */
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

/** Tasks that are remembered per caller and server; the oldest is forgotten first. A longer id is not remembered. */
const MAX_TASKS = 10_000;
const MAX_ID = 1_024;

/** `origin`: what a server is besides its name. Another program under an old name has none of the old one's tasks. */
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
