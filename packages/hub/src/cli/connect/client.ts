import type { Place } from '../../config/import/locations.ts';
import type { ConnectFacts, Mode } from './facts.ts';

export interface ConnectClient {
  readonly id: string;
  readonly title: string;
  /** How it is connected unless somebody says otherwise comes first. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly format: 'json' | 'toml';
  /** The person's own file. */
  readonly file: (place: Place) => string;
  /** Where in the file the entries are. */
  readonly path: readonly string[];
  /** What is there on a machine that has it: programs on the PATH. */
  readonly programs: readonly string[];
  readonly entry: (mode: Mode, facts: ConnectFacts, token: string) => object;
  /** How a string of the file refers to the variable PINCER_TOKEN; undefined where it cannot. */
  readonly tokenReference: string | undefined;
  /** A command of the client's own that does the same. `token` is one word of a shell, or a part of one in double quotes. */
  readonly command?: (mode: Mode, facts: ConnectFacts, token: string) => string | undefined;
  /** Further settings that the entry needs. */
  readonly extra?: (mode: Mode) => ExtraSetting | undefined;
  readonly notes?: (mode: Mode) => readonly string[];
}

export interface ExtraSetting {
  /** A list in the file. */
  readonly path: readonly string[];
  /** The member that makes an item of it the same as another. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export const TOKEN_VARIABLE = 'PINCER_TOKEN';
