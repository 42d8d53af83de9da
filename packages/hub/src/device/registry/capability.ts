/** How a capability is defined: its commands, their context, payload and failures. */
import type { z } from 'zod';
import type { Caller } from '../../core/caller.ts';

/** The call that a command runs for. */
export interface CommandContext {
  readonly caller: Caller;
  /** Aborted when the caller cancels or the hub stops. */
  readonly signal: AbortSignal;
  /** Reports progress to the caller. `total` has the same unit. */
  progress(done: number, total?: number, message?: string): void;
}

/** The documented result of a command, for gateways and for the text of an MCP answer. */
export type Payload = Readonly<Record<string, unknown>> | readonly unknown[];

/** Media content of an MCP answer, beside the payload. */
export interface MediaItem {
  readonly type: 'image' | 'audio' | 'video';
  /** Base64. */
  readonly data: string | Base64;
  readonly mimeType: string;
}

/** What a call would do, before it runs. */
export type PreparedRun = DeniedRun | RunnableRun;

interface DeniedRun {
  readonly decision: 'deny';
  /** The text of the answer. */
  readonly reason: string;
}

/** A person is asked about `subject` only. */
export interface RunnableRun {
  readonly decision: 'allow' | 'ask';
  /** Plain JSON. It is shown in full, and an approval is for its digest. */
  readonly subject: Readonly<Record<string, unknown>>;
  /** Runs exactly the subject. Throws if the machine has changed since. */
  run(context: CommandContext): Promise<Payload>;
}

interface CommandBase<I extends z.ZodObject> {
  /** For models: what the command does, its arguments and its result. */
  readonly description: string;
  /** A sentence about this machine, appended to the description for clients. Not in docs/device.md. */
  readonly here?: string;
  /** Arguments. Values out of bounds are clamped, and values of the wrong type become the default (`arguments.ts`). */
  readonly input: I;
  /** The payload. */
  readonly output: z.ZodType;
  readonly annotations: Annotations;
  /** Arguments of an example call, for docs/device.md. A test runs it. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Payload members that hold media as base64. Clients that get `media` items do not get them in text. */
  readonly bulky?: readonly string[];
  media?(payload: Payload): readonly MediaItem[];
}

/** MCP's hints, and a title for people. */
interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A command either runs, or first states what it would do. */
export type Command<I extends z.ZodObject = z.ZodObject> = CommandBase<I> &
  (
    | { run(args: z.output<I>, context: CommandContext): Promise<Payload> | Payload; prepare?: undefined }
    | { prepare(args: z.output<I>, context: CommandContext): Promise<PreparedRun>; run?: undefined }
  );

/** Whether some commands can work here, and which backend they use. */
export type Readiness = ReadyBackend | MissingBackend;

interface ReadyBackend {
  readonly commands: readonly string[];
  readonly available: true;
  /** The backend, for people: `ffmpeg (x11grab)`. */
  readonly backend: string;
  /** Why the backend might not be enough. */
  readonly reason?: string;
  /** How to get a better one. */
  readonly hint?: string;
}

export interface MissingBackend {
  readonly commands: readonly string[];
  readonly available: false;
  /** What is missing. */
  readonly reason: string;
  /** What to install or to switch on. */
  readonly hint: string;
  /** The person's policy forbids them. They stay listed, so that callers learn about the policy. */
  readonly isRule?: boolean;
}

export interface Capability {
  readonly category: string;
  readonly commands: ReadonlyMap<string, Command>;
  /** `mcp`: not for gateways. */
  readonly only?: 'mcp' | undefined;
  /** Checks the backends. Absent if the capability works everywhere. */
  readiness?(): Promise<readonly Readiness[]>;
  /** Ends running work, windows and programs. The capability may be used again after it was switched off. */
  close?(): Promise<void> | void;
}

export interface RegisteredCommand {
  readonly name: string;
  readonly capability: Capability;
  readonly command: Command;
}

export interface CapabilityDefinition<I extends Readonly<Record<string, z.ZodObject>>> {
  readonly category: string;
  readonly only?: 'mcp';
  readonly commands: { readonly [K in keyof I]: Command<I[K]> };
  readiness?(): Promise<readonly Readiness[]>;
  close?(): Promise<void> | void;
}

export const defineCapability = <I extends Readonly<Record<string, z.ZodObject>>>({
  commands,
  ...rest
}: CapabilityDefinition<I>): Capability => ({
  ...rest,
  commands: new Map(Object.entries<Command>(commands as unknown as Record<string, Command>)),
});

/** Details of a failure. */
export interface FailureDetails {
  /** The next step, appended to the text. */
  readonly hint?: string | undefined;
  /** The code that gateways and other nodes use, such as `CAMERA_DISABLED`. */
  readonly code?: string | undefined;
  /** Nothing was done. */
  readonly notExecuted?: boolean | undefined;
  /** For the log only: it may name paths and devices. */
  readonly cause?: unknown;
}

export class CommandFailure extends Error {
  readonly hint: string | undefined;
  readonly code: string | undefined;
  readonly notExecuted: boolean;

  constructor(text: string, { hint, code, notExecuted = false, cause }: FailureDetails = {}) {
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'CommandFailure';
    this.hint = hint;
    this.code = code;
    this.notExecuted = notExecuted;
  }
}

/** The failure for a call that the caller cancelled. */
export const cancelled = (details?: FailureDetails, text = 'cancelled'): CommandFailure =>
  new CommandFailure(text, details);

/** Bytes that become base64 in JSON. The text needs no escaping. */
export class Base64 {
  readonly #bytes: Buffer;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Encoded once, for all places in which it occurs. */
  get text(): string {
    return (this.#text ??= this.#bytes.toString('base64'));
  }

  toJSON(): string {
    return this.text;
  }
}

/** Bytes that become a `data:` URI in JSON. */
export class DataUri {
  readonly head: string;
  readonly data: Base64;

  constructor(mimeType: 'image/png' | 'image/jpeg', data: Base64) {
    this.head = `data:${mimeType};base64,`;
    this.data = data;
  }

  toJSON(): string {
    return this.head + this.data.text;
  }
}
