/** Programs that run to their end: no shell, a given environment, and a process group that is ended as a whole. */

export interface CommandLine {
  /** An absolute path, or a name that the system looks up. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface ProgramRun extends CommandLine {
  /** `argv[0]`, if not the command: some programs act on their own name. */
  readonly argv0?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: a folder of the system without anyone's files. */
  readonly cwd?: string | undefined;
  /** Written to stdin, which is then closed. */
  readonly input?: Buffer | undefined;
  /** Aborting it ends the program and everything it started. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Per stream. */
  readonly maxBytes: number;
  /** When a stream exceeds `maxBytes`: end the program, or drop the rest. */
  readonly whenFull: 'end' | 'drop';
  /** Called right before the start. Returning false prevents the start. */
  mayBegin?(): boolean;
  /** Called with each chunk, for progress or to end the program early. */
  onStdout?(chunk: Buffer): void;
  onStderr?(chunk: Buffer): void;
}

/** `exited`: by itself. `not-started`: the program is missing, or the system refuses. `held-back`: `mayBegin` returned false. */
export type ProgramEndKind = 'exited' | 'not-started' | 'held-back' | 'timed-out' | 'aborted' | 'too-much';

export interface ProgramEnd {
  readonly kind: ProgramEndKind;
  /** For people: the end of a sentence that begins with the program's name. */
  readonly reason: string;
  /** Why it could not be started. `reason` says the same as part of a sentence. */
  readonly obstacle?: string | undefined;
  /** Null if a signal ended it or it never ran. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Number of dropped bytes. */
  readonly dropped: { readonly stdout: number; readonly stderr: number };
}

export type RunProgram = (run: ProgramRun) => Promise<ProgramEnd>;
