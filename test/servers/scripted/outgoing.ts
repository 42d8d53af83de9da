/** Where an exchange is cut, and the bytes up to that point. */
import type { Leg } from './legs.ts';

export interface Cut {
  leg: Leg;
  /** `in`: after this many bytes from the hub. `out`: after this many bytes from the server. */
  side: 'in' | 'out';
  at: number;
  /**
   * `close`: the connection ends. `stall`: nothing more happens on it; a program continues with the hub's next
   * message. `deaf`: a program closes its stdin and keeps running.
   */
  how: 'close' | 'stall' | 'deaf';
  /** Over HTTP, refuses the request with this status before running it. */
  status?: number;
}

/** The size of a leg without a cut. */
export interface Size {
  in: number;
  out: number;
  /** Bytes sent after each complete message. */
  marks: number[];
}

/** Removes and returns the cut of a leg. */
export function takeCut(cuts: Cut[], leg: Leg): Cut | undefined {
  const index = cuts.findIndex((cut) => cut.leg === leg);
  return index === -1 ? undefined : cuts.splice(index, 1)[0];
}

/** The bytes of one answer, up to the cut. */
export class Outgoing {
  sent = 0;
  readonly #write: (bytes: string) => void;
  readonly #limit: number;
  readonly #onLimit: () => void;

  constructor(write: (bytes: string) => void, limit: number, onLimit: () => void) {
    this.#write = write;
    this.#limit = limit;
    this.#onLimit = onLimit;
    if (limit === 0) onLimit();
  }

  /** Returns the bytes beyond the cut. */
  write(bytes: string): string {
    if (this.sent >= this.#limit) return bytes;
    const part = bytes.slice(0, this.#limit - this.sent);
    this.sent += part.length;
    this.#write(part);
    if (this.sent >= this.#limit) this.#onLimit();
    return bytes.slice(part.length);
  }
}
