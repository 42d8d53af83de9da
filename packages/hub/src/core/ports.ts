/** What the core needs of the outside world. Adapters live at the edges; `hub.ts` puts them together. */
import type { OutcomeKind } from './outcome.ts';
import type { ErrorCode } from './errors.ts';
import type { Scopes } from './caller.ts';
import type { RawOffer } from './catalog/offer.ts';
import type { ByteText } from './wire/byte-text.ts';
import type { Member } from './wire/members.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only grow. */
  elapsed(): number;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** What is known of one finished call, besides what it carried. */
export interface CallFacts {
  readonly at: number;
  readonly caller: string;
  readonly surface: string;
  readonly server: string;
  readonly method: string;
  /** What it was about, as its server calls it: a tool's or prompt's name, a URI. */
  readonly tool: string;
  readonly outcome: OutcomeKind;
  readonly code: ErrorCode | undefined;
  readonly durationMs: number;
  /** The protocol session of the client, or the session of an app; where there is one. */
  readonly session?: string | undefined;
  /** As they came; absent: there were none, or nobody knows. */
  readonly argumentBytes?: number | undefined;
  /** Of the result or error object; zero: the server gave no answer. */
  readonly answerBytes?: number | undefined;
}

/** One finished call. Whoever keeps more of it than its facts keeps a copy: the rest are parts of whole messages. */
export interface CallRecord extends CallFacts {
  /** The arguments as they came; whoever keeps them redacts them first. */
  readonly arguments: ByteText | undefined;
  /** Members of `params._meta` as they came: the caller's trace context is there. */
  readonly meta?: readonly Member[];
}

/** A finished call as it is kept: the text of its arguments redacted, or absent. */
export interface StoredCall extends CallFacts {
  readonly arguments: string | undefined;
}

/** Told of every finished call. */
export interface Observer {
  callEnded(record: CallRecord): void;
}

export interface StoredCatalog {
  readonly server: string;
  /** Digest of the configuration that this catalog came from: another server under the old name is not it. */
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

/** A definition that a person has accepted, or that was accepted at first sight. */
export interface StoredPin {
  readonly server: string;
  /** As that of a catalog: another server under the old name has pins of its own. */
  readonly origin: string;
  readonly tool: string;
  readonly digest: string;
  /** The raw definition, to be shown beside a changed one. */
  readonly definition: ByteText;
  readonly acceptedAt: number;
}

/**
 * Pins may have been lost. What is offered without a pin by the server is not accepted at first sight, but waits for a
 * person. No origin: at any. No server: every server that is configured.
 */
export interface PinDoubt {
  readonly server: string | undefined;
  readonly origin: string | undefined;
}

/** Something that is wrong with a file of the store, or was and has been put right. */
export interface StoreIncident {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly file: string;
  /** The table, or `file` for all of it. */
  readonly part: string;
  readonly message: string;
  /** The next step. */
  readonly hint: string;
  /** Where the damaged file is now. */
  readonly movedTo?: string | undefined;
  /** It goes on: writes fail. */
  readonly isOpen: boolean;
}

/** A question to a person whether one call may run. */
export interface StoredApproval {
  readonly id: string;
  /** Of what is asked about: caller, server, tool and arguments. */
  readonly digest: string;
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** As they are shown to the person: redacted. */
  readonly arguments: string;
  readonly state: 'open' | 'allowed' | 'denied' | 'used';
  readonly askedAt: number;
  readonly decidedAt: number | undefined;
}

/** A tool of an app. All of it is text, so that equal ones are seen to be equal and can be shared. */
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
 * What of an app's session outlives a restart. When it was last used does not: while no hub runs, nobody could use it.
 */
export interface StoredAppSession {
  readonly id: string;
  readonly app: string;
  readonly deviceId: string | undefined;
  readonly deviceName: string | undefined;
  readonly appVersion: string | undefined;
  readonly chatId: string | undefined;
  readonly tools: readonly StoredAppTool[];
  /** A digest of what its first bridge has proved; the credential itself is never kept. */
  readonly credential: string | undefined;
  /** Of the latest bridge; zero: there has been none. */
  readonly epoch: number;
  /** Whether that bridge has said hello. */
  readonly saysHello: boolean;
}

export interface AppSessionStore {
  /** In the order in which they were first saved. */
  load(): readonly StoredAppSession[];
  /** On disk when it returns, in place of what was there under the same id; or it throws, and nothing has changed. */
  save(session: StoredAppSession): void;
  remove(id: string): void;
}

export interface Store {
  readonly appSessions: AppSessionStore;
  loadPins(): readonly StoredPin[];
  savePins(pins: readonly StoredPin[]): void;
  deletePins(server: string, origin: string): void;
  loadPinDoubts(): readonly PinDoubt[];
  /** A doubt about every server becomes one about each of these. */
  nameDoubts(servers: readonly string[]): void;
  /** A person has looked at what the server offers: first sight counts again. */
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
  /** The newest last. */
  incidents(): readonly StoreIncident[];
  close(): void;
}

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** A whole path; undefined: a new folder of its own, which goes with the child. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** For npm: the folder of the program that it starts. npm itself runs in `cwd`, and takes nothing from here. */
  readonly npmRunsIn?: string | undefined;
}

/** A child in a process group of its own. */
export interface Child {
  readonly pid: number;
  /** False: the pipe is full, wait for `onDrain`. */
  write(text: ByteText): boolean;
  /** Bytes that were written and that the child has not taken yet. */
  readonly unsent: number;
  pause(): void;
  resume(): void;
  /** Closes stdin, waits, then SIGTERM and SIGKILL to the whole group. Ends when nothing of it is left. */
  stop(): Promise<void>;
}

export interface ChildEvents {
  onStdout(chunk: ByteText): void;
  onStderr(chunk: ByteText): void;
  onDrain(): void;
  /** Once: the child is gone, or never came (`reason` says why). */
  onExit(reason: string): void;
}

export type Spawn = (options: SpawnOptions, events: ChildEvents) => Child;

/** Seals text so that whoever carries it can neither read nor change it. */
export interface Sealer {
  seal(text: string): string;
  /** Undefined: not sealed here, or changed since. */
  open(sealed: string): string | undefined;
}

/** A record of what a sign-in gave, and what it was sealed as. */
export interface GrantFile {
  readonly id: string;
  readonly text: string;
}

/** Sealed records on the disk, by their names. */
export interface GrantFiles {
  /** Of all records; none where nobody has ever signed in. */
  names(): readonly string[];
  /** Undefined: there is none. Rejects with VAULT_UNREADABLE what is damaged, moved or takes another key. */
  read(name: string): Promise<GrantFile | undefined>;
  /** It is on the disk when this resolves. */
  write(name: string, file: GrantFile): Promise<void>;
  /** Whether there was one. Needs no key. */
  remove(name: string): boolean;
  /** Runs the work while no other of this name runs, in this process or another one. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Tells of what others write or remove; what this process does, too. */
  watch(onChange: () => void): () => void;
}

/** Who we are towards a gateway of OpenClaw: a key of our own, and the tokens that gateways gave it. */
export interface DeviceIdentity {
  /** SHA-256 of the public key, in hex. */
  readonly id: string;
  /** The 32 bytes of the key, base64url. */
  readonly publicKey: string;
  sign(text: string): string;
  /** What the gateway at this address has given us to come back with. For each role there is another; absent: operator. */
  tokenFor(url: string, role?: GatewayRole): string | undefined;
  keepToken(url: string, token: string | undefined, role?: GatewayRole): void;
}

/** As what one comes to a gateway: to have something done, or to do something for it. */
export type GatewayRole = 'operator' | 'node';
