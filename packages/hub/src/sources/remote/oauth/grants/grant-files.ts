/** What the store of grants needs of the disk; `owner/grant-files.ts` has it. */

export interface GrantFile {
  /** What it was sealed as. */
  readonly id: string;
  readonly text: string;
}

export interface GrantFiles {
  names(): readonly string[];
  /** Undefined: there is none. Rejects what is damaged or cannot be opened. */
  read(name: string): Promise<GrantFile | undefined>;
  /** It is on the disk when this resolves. */
  write(name: string, file: GrantFile): Promise<void>;
  /** Whether there was one. */
  remove(name: string): boolean;
  /** Runs the work while no other of this name runs, in this process or another one. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  watch(onChange: () => void): () => void;
}
