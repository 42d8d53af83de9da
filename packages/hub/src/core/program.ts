/** Programs that run to their end: no shell, an environment that is given, in a process group that ends as a whole. */

export interface CommandLine {
  /** A whole path, or a name that the system looks for. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface ProgramRun extends CommandLine {
  /** What it is called, where that is not the command: some programs do what their name says. */
  readonly argv0?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: a folder of the system, with nothing of anyone's in it. */
  readonly cwd?: string | undefined;
  /** Written to its stdin, which then ends. */
  readonly input?: Buffer | undefined;
  /** Aborted: it is ended, with all that it has started. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Of each stream. */
  readonly maxBytes: number;
  /** What becomes of it when a stream has more: it is ended, or the rest is dropped. */
  readonly whenFull: 'end' | 'drop';
  /** Asked right before the start: where it says no, nothing is started. */
  mayBegin?(): boolean;
  /** Bytes as they come: for progress, or to end it when it has said enough. */
  onStdout?(chunk: Buffer): void;
  onStderr?(chunk: Buffer): void;
}

/** `exited`: by itself. `not-started`: there is no such program, or the system refuses. `held-back`: `mayBegin` said no. */
export type ProgramEndKind = 'exited' | 'not-started' | 'held-back' | 'timed-out' | 'aborted' | 'too-much';

export interface ProgramEnd {
  readonly kind: ProgramEndKind;
  /** For people: the end of a sentence that begins with the program's name. */
  readonly reason: string;
  /** Where it could not be started: why. `reason` is the same as part of a sentence. */
  readonly obstacle?: string | undefined;
  /** Null: it was ended by a signal, or never ran. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Bytes that were dropped. */
  readonly dropped: { readonly stdout: number; readonly stderr: number };
}

export type RunProgram = (run: ProgramRun) => Promise<ProgramEnd>;
