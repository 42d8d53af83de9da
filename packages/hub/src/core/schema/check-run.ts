/** The state of one check of a value: its budget, where it is, and what it has found. */

export interface ValueIssue {
  /** `filter.tags[0]`; empty for the value as a whole. */
  readonly path: string;
  /** Continues the path: `must be a number, not a string`. */
  readonly message: string;
  /** What was probably meant. */
  readonly meant?: string | undefined;
}

export type Issues = readonly ValueIssue[];

export const NO_ISSUES: Issues = [];

/** Members and items of one value that the keywords before `unevaluated…` have checked. */
export interface Evaluated {
  readonly names: Set<string>;
  readonly items: Set<number>;
  /** Items before this index are evaluated, too. */
  upTo: number;
}

/** The result of one part of a schema at one place; `running` while it is being found. */
export type Known = 'running' | { readonly issues: Issues; readonly evaluated: Evaluated | undefined };

/** A value and where it is. The path is written only for an issue. */
export class Place {
  readonly value: unknown;
  readonly #parent: Place | undefined;
  readonly #key: string | number;
  /** Results for this value, if it is not an object or array. */
  known: Map<object, Known> | undefined;

  constructor(value: unknown, parent?: Place, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
  }

  at(key: string | number, value: unknown): Place {
    return new Place(value, this, key);
  }

  get path(): string {
    return this.#parent === undefined ? '' : this.#parent.pathOf(this.#key);
  }

  pathOf(key: string | number): string {
    const { path } = this;
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }
}

/** A schema can make a check take for ever. Whatever is not checked by then passes. */
const MAX_STEPS = 100_000;
/** Issues that get a guess of what was meant. */
const MAX_GUESSES = 8;

export class CheckRun {
  depth = 0;
  guessesLeft = MAX_GUESSES;
  #stepsLeft: number;
  #isCut = false;
  /** Objects and arrays of the value: each is at one place. */
  readonly #known = new Map<object, Map<object, Known>>();

  constructor(maxSteps = MAX_STEPS) {
    this.#stepsLeft = maxSteps;
  }

  /** False if the budget is used up. */
  spend(steps: number): boolean {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) this.#isCut = true;
    return this.#stepsLeft >= 0;
  }

  /** Something was not checked, and passes. */
  cut(): void {
    this.#isCut = true;
  }

  /** While true, a part that fits may only seem to: no issue may follow from that. */
  get isCut(): boolean {
    return this.#isCut;
  }

  knownAt(place: Place): Map<object, Known> {
    const { value } = place;
    if (typeof value !== 'object' || value === null) return (place.known ??= new Map());
    let known = this.#known.get(value);
    if (known === undefined) this.#known.set(value, (known = new Map()));
    return known;
  }
}
