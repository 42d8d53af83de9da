/**
 * A map for entries that live as long as a call.
 *
 * V8 links the outgrown table of a Map to its successor. After a full garbage collection the current table is in the
 * old generation; from then on it keeps every later table alive, and with them the calls that were under way when a
 * table was outgrown. Every scavenge then copies all of them (15 to 20 ms each under load), until the next full
 * collection. A fresh Map every now and then has no such link.
 */
const MAX_ADDED = 128;

export class ShortLivedMap<K, V> {
  #map = new Map<K, V>();
  #added = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    if (++this.#added > MAX_ADDED + this.#map.size) {
      this.#map = new Map(this.#map);
      this.#added = 0;
    }
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    return this.#map.delete(key);
  }

  clear(): void {
    this.#map.clear();
  }

  /** In the order in which they were added. A copy: entries may be added and deleted while it is read. */
  values(): V[] {
    return [...this.#map.values()];
  }

  /** A copy, like `values`. */
  entries(): [K, V][] {
    return [...this.#map];
  }
}
