/** All rows of state.sqlite in memory, and how they are stored. The file is small and can be rewritten from here. */
import { createHash } from 'node:crypto';
import type { Scopes } from '../../core/caller.ts';
import type {
  PinDoubt,
  StoredApproval,
  StoredAppSession,
  StoredAppTool,
  StoredCredential,
  StoredPin,
} from '../../core/ports.ts';
import { type Codec, Collection, type Collections } from '../rows/table.ts';

interface Counter {
  readonly name: string;
  readonly value: number;
}

/** `generation` grows with every change of credentials and pins. It tells an older file from the latest. */
const COUNTERS: Codec<Counter> = {
  table: 'counters',
  columns: ['name', 'value'],
  keys: 1,
  keyOf: ({ name }) => [name],
  toRow: ({ name, value }) => [name, value],
  fromRow: ([name, value]) => ({ name: name as string, value: value as number }),
};

export interface StateRows {
  readonly credentials: Collection<StoredCredential>;
  readonly pins: Collection<StoredPin>;
  readonly doubts: Collection<PinDoubt>;
  readonly approvals: Collection<StoredApproval>;
  readonly lists: Collection<AppToolList>;
  readonly sessions: Collection<KeptSession>;
  readonly counters: Collection<Counter>;
}

export const emptyRows = (): StateRows => ({
  credentials: new Collection(CREDENTIALS),
  pins: new Collection(PINS),
  doubts: new Collection(PIN_DOUBTS),
  approvals: new Collection(APPROVALS),
  // Before sessions, which refer to them.
  lists: new Collection(APP_TOOL_LISTS),
  sessions: new Collection(APP_SESSIONS),
  counters: new Collection(COUNTERS),
});

export const collectionsOf = (rows: StateRows): Collections => Object.values(rows);

export const generationOf = ({ counters }: StateRows): number => counters.get('generation')?.value ?? 0;

const CREDENTIALS: Codec<StoredCredential> = {
  table: 'credentials',
  columns: ['id', 'name', 'token_hash', 'scopes', 'created_at'],
  keys: 1,
  order: 'created_at, id',
  keyOf: ({ id }) => [id],
  toRow: ({ id, name, tokenHash, scopes, createdAt }) => [
    id,
    name,
    tokenHash,
    JSON.stringify(scopes),
    createdAt,
  ],
  fromRow: ([id, name, tokenHash, scopes, createdAt]) => ({
    id: id as string,
    name: name as string,
    tokenHash: tokenHash as string,
    scopes: JSON.parse(scopes as string) as Scopes,
    createdAt: createdAt as number,
  }),
};

const APPROVALS: Codec<StoredApproval> = {
  table: 'approvals',
  columns: ['id', 'digest', 'caller', 'server', 'tool', 'arguments', 'state', 'asked_at', 'decided_at'],
  keys: 1,
  order: 'asked_at, id',
  keyOf: ({ id }) => [id],
  toRow: ({ id, digest, caller, server, tool, state, askedAt, decidedAt, ...rest }) => [
    id,
    digest,
    caller,
    server,
    tool,
    rest.arguments,
    state,
    Math.trunc(askedAt),
    decidedAt === undefined ? null : Math.trunc(decidedAt),
  ],
  fromRow: ([id, digest, caller, server, tool, given, state, askedAt, decidedAt]) => ({
    id: id as string,
    digest: digest as string,
    caller: caller as string,
    server: server as string,
    tool: tool as string,
    arguments: given as string,
    state: state as StoredApproval['state'],
    askedAt: askedAt as number,
    decidedAt: (decidedAt as number | null) ?? undefined,
  }),
};

const PINS: Codec<StoredPin> = {
  table: 'pins',
  columns: ['server', 'origin', 'tool', 'digest', 'definition', 'accepted_at'],
  keys: 3,
  keyOf: ({ server, origin, tool }) => [server, origin, tool],
  toRow: ({ server, origin, tool, digest, definition, acceptedAt }) => [
    server,
    origin,
    tool,
    digest,
    Buffer.from(definition, 'latin1'),
    Math.trunc(acceptedAt),
  ],
  fromRow: ([server, origin, tool, digest, definition, acceptedAt]) => ({
    server: server as string,
    origin: origin as string,
    tool: tool as string,
    digest: digest as string,
    definition: latin1Of(definition as Uint8Array),
    acceptedAt: acceptedAt as number,
  }),
};

/** An empty origin means all origins, an empty server every configured server. */
const PIN_DOUBTS: Codec<PinDoubt> = {
  table: 'pin_doubts',
  columns: ['server', 'origin'],
  keys: 2,
  keyOf: ({ server, origin }) => [server ?? '', origin ?? ''],
  toRow: ({ server, origin }) => [server ?? '', origin ?? ''],
  fromRow: ([server, origin]) => ({
    server: (server as string) || undefined,
    origin: (origin as string) || undefined,
  }),
};

const latin1Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

/** A session with the digest of its list of tools. */
interface KeptSession extends Omit<StoredAppSession, 'tools'> {
  readonly list: string;
}

const APP_SESSIONS: Codec<KeptSession> = {
  table: 'app_sessions',
  columns: [
    'id',
    'app',
    'device_id',
    'device_name',
    'app_version',
    'chat_id',
    'tools',
    'credential',
    'epoch',
    'says_hello',
  ],
  keys: 1,
  // Loaded in the order in which they were created.
  order: 'number',
  keyOf: ({ id }) => [id],
  toRow: ({ id, app, deviceId, deviceName, appVersion, chatId, list, credential, epoch, saysHello }) => [
    id,
    app,
    deviceId ?? null,
    deviceName ?? null,
    appVersion ?? null,
    chatId ?? null,
    list,
    credential ?? null,
    epoch,
    Number(saysHello),
  ],
  fromRow: ([id, app, deviceId, deviceName, appVersion, chatId, list, credential, epoch, saysHello]) => ({
    id: id as string,
    app: app as string,
    deviceId: (deviceId as string | null) ?? undefined,
    deviceName: (deviceName as string | null) ?? undefined,
    appVersion: (appVersion as string | null) ?? undefined,
    chatId: (chatId as string | null) ?? undefined,
    list: list as string,
    credential: (credential as string | null) ?? undefined,
    epoch: epoch as number,
    saysHello: saysHello !== 0,
  }),
};

type Tools = readonly StoredAppTool[];

/** The tools that an app has registered. Most sessions of an app share one list, which is stored once. */
interface AppToolList {
  readonly digest: string;
  readonly tools: Tools;
}

const APP_TOOL_LISTS: Codec<AppToolList> = {
  table: 'app_tool_lists',
  columns: ['digest', 'tools'],
  keys: 1,
  keyOf: ({ digest }) => [digest],
  toRow: ({ digest, tools }) => [digest, pack(tools)],
  fromRow([digest, bytes]) {
    const list = { digest: digest as string, tools: unpack(bytes as Uint8Array) };
    digests.set(list.tools, list.digest);
    return list;
  },
};

/** Cache of digests: a list comes back with each bridge of its session, mostly unchanged. */
const digests = new WeakMap<Tools, string>();

export function digestOfTools(tools: Tools): string {
  const known = digests.get(tools);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(pack(tools)).digest('base64url');
  digests.set(tools, digest);
  return digest;
}

/** JSON in UTF-8. A ByteText is stored as a plain string and comes back unchanged. */
const pack = (tools: Tools): Buffer => Buffer.from(JSON.stringify(tools.map(inOrder)), 'utf8');

const unpack = (bytes: Uint8Array): Tools =>
  (JSON.parse(new TextDecoder().decode(bytes)) as Tools).map(inOrder);

/** Orders the members, so that equal tools are equal bytes. */
const inOrder = (tool: StoredAppTool): StoredAppTool => ({
  name: tool.name,
  path: tool.path,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  outputSchema: tool.outputSchema,
  annotations: tool.annotations,
});
