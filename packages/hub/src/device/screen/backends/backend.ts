import type { Picture, PictureWish } from '../../media/pixels.ts';

export interface SnapshotWish extends PictureWish {
  readonly screenIndex: number;
  /** Whether the mouse pointer should be in the picture; not every backend can draw it. */
  readonly pointer: boolean;
}

/** What takes pictures of screens. */
export interface SnapshotBackend {
  /** For people. */
  readonly name: string;
  readonly drawsPointer: boolean;
  /** Undefined: it can be tried. Else what is missing. */
  missing(): Promise<string | undefined>;
  /** Rejects with a CommandFailure where another backend would fare no better; with anything else, the next one is tried. */
  capture(wish: SnapshotWish, signal: AbortSignal): Promise<Picture>;
}
