/** How a capability is defined: its commands, their context, payload and failures. */
import type { z } from 'zod';
import type { Caller } from '../../core/caller.ts';

/** What a command knows of the call that it runs for. */
export interface CommandContext {
  readonly caller: Caller;
  /** Aborted when the caller no longer wants it, or when the hub ends. */
  readonly signal: AbortSignal;
  /** Tells whoever waits how far it is; `total` in the same unit. */
  progress(done: number, total?: number, message?: string): void;
}

/** What a command gives back: the documented payload, which is what the gateway and the text of an MCP answer get. */
export type Payload = Readonly<Record<string, unknown>> | readonly unknown[];

/** What goes beside the payload into an MCP answer. */
export interface MediaItem {
  readonly type: 'image' | 'audio' | 'video';
  /** Text of base64, or what is known to be some. */
  readonly data: string | Base64;
  readonly mimeType: string;
}

/** What exactly a call would do, before it does it. */
export type PreparedRun = DeniedRun | RunnableRun;

interface DeniedRun {
  readonly decision: 'deny';
  /** Why, as the text of the answer. */
  readonly reason: string;
}

/** A person who is asked is asked about `subject`, and about nothing else. */
export interface RunnableRun {
  readonly decision: 'allow' | 'ask';
  /** Plain JSON. It is shown in full, and its digest is what an approval is for. */
  readonly subject: Readonly<Record<string, unknown>>;
  /** Runs exactly the subject, or throws where the machine has changed since. */
  run(context: CommandContext): Promise<Payload>;
}

interface CommandBase<I extends z.ZodObject> {
  /** Names what it does, what it takes, what it gives back; models read it. */
  readonly description: string;
  /** What is true of this machine alone, as a sentence. Clients read it after the description; docs/device.md has none of it. */
  readonly here?: string;
  /** Arguments. What is out of bounds is clamped, and what is of the wrong type is the default (`arguments.ts`). */
  readonly input: I;
  /** The payload. */
  readonly output: z.ZodType;
  readonly annotations: Annotations;
  /** Arguments of a call that shows what it is for; docs/device.md has it, and a test runs it. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Payload members that hold media as base64; a client that gets `media` items is spared their bytes in text. */
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

/** A command either runs, or says first what exactly it would do. */
export type Command<I extends z.ZodObject = z.ZodObject> = CommandBase<I> &
  (
    | { run(args: z.output<I>, context: CommandContext): Promise<Payload> | Payload; prepare?: undefined }
    | { prepare(args: z.output<I>, context: CommandContext): Promise<PreparedRun>; run?: undefined }
  );

/** Whether some commands can work here, and by what. */
export type Readiness = ReadyBackend | MissingBackend;

interface ReadyBackend {
  readonly commands: readonly string[];
  readonly available: true;
  /** What does it, for people: `ffmpeg (x11grab)`. */
  readonly backend: string;
  /** Why it might not be enough all the same. */
  readonly reason?: string;
  /** What would be better. */
  readonly hint?: string;
}

export interface MissingBackend {
  readonly commands: readonly string[];
  readonly available: false;
  /** What is missing. */
  readonly reason: string;
  /** What to install or to switch on. */
  readonly hint: string;
  /** A rule of the person keeps them from running: they stay listed, so that callers are told of the rule. */
  readonly isRule?: boolean;
}

export interface Capability {
  readonly category: string;
  readonly commands: ReadonlyMap<string, Command>;
  /** `mcp`: never on a gateway. */
  readonly only?: 'mcp' | undefined;
  /** Looked at when somebody asks; absent: it works everywhere. */
  readiness?(): Promise<readonly Readiness[]>;
  /** Ends what goes on, windows and programs of its own included. After it was switched off, it may be used again. */
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

/** Why a command could not do what it was asked: a text that is documented, and what to do about it. */
export interface FailureDetails {
  /** The next step. It follows the text. */
  readonly hint?: string | undefined;
  /** What gateways and other nodes call it, such as `CAMERA_DISABLED`. */
  readonly code?: string | undefined;
  /** It certainly did nothing. */
  readonly notExecuted?: boolean | undefined;
  /** For the log alone: paths and names of devices do not leave the machine with an error. */
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

/** Nobody wants it any more. */
export const cancelled = (details?: FailureDetails, text = 'cancelled'): CommandFailure =>
  new CommandFailure(text, details);

/** In JSON, the text. */
export class Base64 {
  readonly #bytes: Buffer;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Made once, for as many places as it stands in. */
  get text(): string {
    return (this.#text ??= this.#bytes.toString('base64'));
  }

  toJSON(): string {
    return this.text;
  }
}

/** The same as `data:` URI. */
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
