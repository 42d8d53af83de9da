/** Where an exchange is cut, and the bytes up to there. */
import type { Leg } from './legs.ts';

export interface Cut {
  leg: Leg;
  /** `in`: after so many bytes of what the hub sends. `out`: of what the server sends. */
  side: 'in' | 'out';
  at: number;
  /**
   * `close`: the connection ends. `stall`: nothing more happens on it; a program goes on when the hub says something
   * else. `deaf`: a program closes its stdin and lives on.
   */
  how: 'close' | 'stall' | 'deaf';
  /** Over HTTP, it is refused with this status before anything is done. */
  status?: number;
}

/** How long a leg was when it was not cut. */
export interface Size {
  in: number;
  out: number;
  /** After how many bytes sent each message of it had left as a whole. */
  marks: number[];
}

/** The cut of a leg, which is there no longer. */
export function takeCut(cuts: Cut[], leg: Leg): Cut | undefined {
  const index = cuts.findIndex((cut) => cut.leg === leg);
  return index === -1 ? undefined : cuts.splice(index, 1)[0];
}

/** The bytes of one answer, up to where they are cut. */
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

  /** Gives back what was left over. */
  write(bytes: string): string {
    if (this.sent >= this.#limit) return bytes;
    const part = bytes.slice(0, this.#limit - this.sent);
    this.sent += part.length;
    this.#write(part);
    if (this.sent >= this.#limit) this.#onLimit();
    return bytes.slice(part.length);
  }
}
