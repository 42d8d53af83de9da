/** What the core needs from the outside world. Adapters live at the edges; `hub.ts` connects them. */
import type { OutcomeKind } from './outcome.ts';
import type { ErrorCode } from './errors.ts';
import type { Scopes } from './caller.ts';
import type { RawOffer } from './catalog/offer.ts';
import type { ByteText } from './wire/byte-text.ts';
import type { Member } from './wire/members.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  elapsed(): number;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** The metadata of one finished call, without its content. */
export interface CallFacts {
  readonly at: number;
  readonly caller: string;
  readonly surface: string;
  readonly server: string;
  readonly method: string;
  /** The tool's or prompt's name or the URI, as the server calls it. */
  readonly tool: string;
  readonly outcome: OutcomeKind;
  readonly code: ErrorCode | undefined;
  readonly durationMs: number;
  /** The client's protocol session or the app's session, if any. */
  readonly session?: string | undefined;
  /** Absent if there were no arguments, or the size is unknown. */
  readonly argumentBytes?: number | undefined;
  /** Size of the result or error object; zero without an answer. */
  readonly answerBytes?: number | undefined;
}

/** One finished call. Copy any content you keep: it refers to whole messages. */
export interface CallRecord extends CallFacts {
  /** The original arguments. Redact them before keeping them. */
  readonly arguments: ByteText | undefined;
  /** The original members of `params._meta`. They include the caller's trace context. */
  readonly meta?: readonly Member[];
}

/** A finished call as stored: with its arguments redacted, or without them. */
export interface StoredCall extends CallFacts {
  readonly arguments: string | undefined;
}

export interface Observer {
  callEnded(record: CallRecord): void;
}

export interface StoredCatalog {
  readonly server: string;
  /** Digest of the configuration that this catalog came from. It tells apart another server under the same name. */
  readonly origin: string;
  readonly offer: RawOffer;
}

export interface StoredCredential {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token, hexadecimal; the token itself is shown once and never kept. */
  readonly tokenHash: string;
  readonly scopes: Scopes;
  readonly createdAt: number;
}

/** A definition accepted by a person, or on first sight. */
export interface StoredPin {
  readonly server: string;
  /** As in a catalog: another server under the same name has its own pins. */
  readonly origin: string;
  readonly tool: string;
  readonly digest: string;
  /** The raw definition, shown beside a changed one. */
  readonly definition: ByteText;
  readonly acceptedAt: number;
}

/**
 * Pins may have been lost. Tools without a pin are held for a person instead of being accepted on first sight. Without
 * an origin it applies to any origin; without a server, to every configured server.
 */
export interface PinDoubt {
  readonly server: string | undefined;
  readonly origin: string | undefined;
}

/** A problem with a file of the store, open or repaired. */
export interface StoreIncident {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly file: string;
  /** The table, or `file` for the whole file. */
  readonly part: string;
  readonly message: string;
  /** The next step. */
  readonly hint: string;
  /** Where the damaged file is now. */
  readonly movedTo?: string | undefined;
  /** True while writes still fail. */
  readonly isOpen: boolean;
}

/** A person's decision about one call, open or taken. */
export interface StoredApproval {
  readonly id: string;
  /** Digest of caller, server, tool and arguments. */
  readonly digest: string;
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** As shown to the person, redacted. */
  readonly arguments: string;
  readonly state: 'open' | 'allowed' | 'denied' | 'used';
  readonly askedAt: number;
  readonly decidedAt: number | undefined;
}

/** A tool of an app. All fields are text, so that equal tools can be found and shared. */
export interface StoredAppTool {
  readonly name: string;
  readonly path: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: ByteText;
  readonly outputSchema: ByteText | undefined;
  readonly annotations: ByteText | undefined;
}

/**
 * The part of an app's session that survives a restart. The time of last use does not: no one can use it without a hub.
 */
export interface StoredAppSession {
  readonly id: string;
  readonly app: string;
  readonly deviceId: string | undefined;
  readonly deviceName: string | undefined;
  readonly appVersion: string | undefined;
  readonly chatId: string | undefined;
  readonly tools: readonly StoredAppTool[];
  /** Digest of the credential of its first bridge. The credential itself is never stored. */
  readonly credential: string | undefined;
  /** Epoch of the latest bridge; zero without a bridge so far. */
  readonly epoch: number;
  /** Whether that bridge sent a hello. */
  readonly saysHello: boolean;
}

export interface AppSessionStore {
  /** In the order in which they were first saved. */
  load(): readonly StoredAppSession[];
  /** Replaces the session of the same id. It is on disk on return; if this throws, nothing has changed. */
  save(session: StoredAppSession): void;
  remove(id: string): void;
}

export interface Store {
  readonly appSessions: AppSessionStore;
  loadPins(): readonly StoredPin[];
  savePins(pins: readonly StoredPin[]): void;
  deletePins(server: string, origin: string): void;
  loadPinDoubts(): readonly PinDoubt[];
  /** Replaces a doubt about every server by one about each of these. */
  nameDoubts(servers: readonly string[]): void;
  /** A person has reviewed the server's offer: tools may be accepted on first sight again. */
  settlePins(server: string): void;
  loadApprovals(): readonly StoredApproval[];
  /** On disk when it returns. */
  saveApproval(approval: StoredApproval): void;
  deleteApproval(id: string): void;
  loadCatalogs(): readonly StoredCatalog[];
  saveCatalog(catalog: StoredCatalog): void;
  loadCredentials(): readonly StoredCredential[];
  saveCredential(credential: StoredCredential): void;
  deleteCredential(id: string): boolean;
  appendCalls(calls: readonly StoredCall[]): void;
  /** Newest last. */
  incidents(): readonly StoreIncident[];
  close(): void;
}

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** An absolute path; undefined creates a temporary folder that is removed with the child. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** For npm: the working folder of the program that it starts. npm itself runs in `cwd` and reads nothing from here. */
  readonly npmRunsIn?: string | undefined;
}

/** A child in its own process group. */
export interface Child {
  readonly pid: number;
  /** Returns false if the pipe is full: wait for `onDrain`. */
  write(text: ByteText): boolean;
  /** Bytes written that the child has not read yet. */
  readonly unsent: number;
  pause(): void;
  resume(): void;
  /** Closes stdin, waits, then sends SIGTERM and SIGKILL to the whole group. Resolves when the group is empty. */
  stop(): Promise<void>;
}

export interface ChildEvents {
  onStdout(chunk: ByteText): void;
  onStderr(chunk: ByteText): void;
  onDrain(): void;
  /** Called once, when the child ended or failed to start (`reason` says why). */
  onExit(reason: string): void;
}

export type Spawn = (options: SpawnOptions, events: ChildEvents) => Child;

/** Seals text so that its bearer can neither read nor change it. */
export interface Sealer {
  seal(text: string): string;
  /** Returns undefined if the text was not sealed here or was changed. */
  open(sealed: string): string | undefined;
}

/** The record of a sign-in, and the id it is sealed with. */
export interface GrantFile {
  readonly id: string;
  readonly text: string;
}

/** Sealed records on the disk, by their names. */
export interface GrantFiles {
  /** The names of all records; empty before the first sign-in. */
  names(): readonly string[];
  /** Returns undefined without a record. Rejects with VAULT_UNREADABLE if it is damaged, moved or sealed with another key. */
  read(name: string): Promise<GrantFile | undefined>;
  /** Resolves when the record is on disk. */
  write(name: string, file: GrantFile): Promise<void>;
  /** Returns whether the record existed. Needs no key. */
  remove(name: string): boolean;
  /** Runs `work` exclusively for this name, across processes. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Reports writes and removals of all processes, this one included. */
  watch(onChange: () => void): () => void;
}

/** Our identity towards gateways of OpenClaw: a key pair, and the tokens that gateways issued for it. */
export interface DeviceIdentity {
  /** SHA-256 of the public key, in hex. */
  readonly id: string;
  /** The 32 bytes of the key, base64url. */
  readonly publicKey: string;
  sign(text: string): string;
  /** The token that the gateway at this address issued for the role; default: operator. */
  tokenFor(url: string, role?: GatewayRole): string | undefined;
  keepToken(url: string, token: string | undefined, role?: GatewayRole): void;
}

/** `operator`: gives work to the gateway. `node`: does work for it. */
export type GatewayRole = 'operator' | 'node';
