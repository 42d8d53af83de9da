/** A measured system: a proxy between callers and apps. */
import type { Child } from './child.ts';
import type { LoadAnswer, LoadCommand } from './programs/load.ts';

export type Load = Child<LoadCommand, LoadAnswer>;

/** One row: a proxy reached in one way. */
export interface Row {
  name: string;
  /** How callers reach it. */
  way: string;
  /** The row of the hand-written proxy that is reached in the same way. */
  floor: string | undefined;
  /** The proxy's process. */
  pid: number;
}

export interface Opened {
  rows: Row[];
  end(): Promise<void>;
}

export interface System {
  name: string;
  /** Starts the proxy and an app on it, and opens its rows in the load. */
  open(load: Load): Promise<Opened>;
}

export const MOST_IN_FLIGHT = 32;
