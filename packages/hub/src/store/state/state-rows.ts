/** All that state.sqlite holds, in memory: it is small, and the file can be written again from here. */
import type {
  PinDoubt,
  StoredApproval,
  StoredCredential,
  StoredPin,
  StoredAppSession,
} from '../../core/ports.ts';
import { APP_TOOL_LISTS, type AppToolList } from './app-tool-lists.ts';
import { Collection, type Collections } from '../rows/collection.ts';
import type { Codec } from '../rows/table.ts';
import type { Scopes } from '../../core/caller.ts';

export interface Counter {
  readonly name: string;
  readonly value: number;
}

/** `generation` grows with every change of credentials and pins: it tells an older file from the latest. */
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

/** An empty origin stands for all, an empty server for every server that is configured. */
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
  // They come back in the order in which they came.
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
