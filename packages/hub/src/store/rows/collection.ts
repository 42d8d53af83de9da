/** The rows of one table in memory. */
import type { Value } from './row-sum.ts';
import { keyText, type Codec } from './table.ts';

export class Collection<T> {
  readonly codec: Codec<T>;
  readonly #items = new Map<string, T>();

  constructor(codec: Codec<T>) {
    this.codec = codec;
  }

  get(...key: readonly Value[]): T | undefined {
    return this.#items.get(keyText(key));
  }

  all(): T[] {
    return [...this.#items.values()];
  }

  set(item: T): void {
    this.#items.set(keyText(this.codec.keyOf(item)), item);
  }

  delete(key: readonly Value[]): void {
    this.#items.delete(keyText(key));
  }
}

/** Of some type each. */
export type Collections = readonly Collection<unknown>[];

export interface Change {
  readonly collection: Collection<unknown>;
  readonly item?: unknown;
  /** Of what is removed. */
  readonly key?: readonly Value[];
}

export const put = <T>(collection: Collection<T>, item: T): Change => ({
  collection,
  item,
});

export const drop = <T>(collection: Collection<T>, ...key: readonly Value[]): Change => ({
  collection,
  key,
});
