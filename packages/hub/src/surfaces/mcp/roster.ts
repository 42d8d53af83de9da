/**
 * Those that are there now. A Set would do, but one that changes with every call leaves a chain of old tables behind, and V8
 * keeps everything that was in them, requests and answers, until it next collects the whole heap.
 */
export interface Roster<T extends Placed> {
  /** As it is now: whoever goes through it may add and remove. */
  readonly all: readonly T[];
  add(item: T): void;
  remove(item: T): void;
}

/** Where it stands; the roster's own. */
export interface Placed {
  place: number;
}

const NOWHERE = -1;

export function createRoster<T extends Placed>(): Roster<T> {
  const items: T[] = [];
  return {
    get all() {
      return items.slice();
    },
    add(item) {
      item.place = items.push(item) - 1;
    },
    remove(item) {
      const { place } = item;
      if (items[place] !== item) return;
      item.place = NOWHERE;
      const last = items.pop()!;
      if (last === item) return;
      items[place] = last;
      last.place = place;
    },
  };
}
