/** The state of one check: its budget, its position, and its findings. */

export interface ValueIssue {
  /** `filter.tags[0]`; empty for the value as a whole. */
  readonly path: string;
  /** Continues the path: `must be a number, not a string`. */
  readonly message: string;
  /** The probable intended value. */
  readonly meant?: string | undefined;
}

export type Issues = readonly ValueIssue[];

export const NO_ISSUES: Issues = [];

/** Members and items of one value that keywords before `unevaluated…` have checked. */
export interface Evaluated {
  readonly names: Set<string>;
  readonly items: Set<number>;
  /** Items before this index are evaluated too. */
  upTo: number;
}

/** The result of one subschema at one place; `running` during its check. */
export type Known = 'running' | { readonly issues: Issues; readonly evaluated: Evaluated | undefined };

/** A value and its place. The path is written only for an issue. */
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

/** Bounds the time of a check. Everything unchecked after that passes. */
const MAX_STEPS = 100_000;
/** Number of issues that get a guess. */
const MAX_GUESSES = 8;

export class CheckRun {
  depth = 0;
  guessesLeft = MAX_GUESSES;
  #stepsLeft: number;
  #isCut = false;
  /** Results per object or array: each of them has one place. */
  readonly #known = new Map<object, Map<object, Known>>();

  constructor(maxSteps = MAX_STEPS) {
    this.#stepsLeft = maxSteps;
  }

  /** Returns false if the budget is used up. */
  spend(steps: number): boolean {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) this.#isCut = true;
    return this.#stepsLeft >= 0;
  }

  /** Something was not checked and passes. */
  cut(): void {
    this.#isCut = true;
  }

  /** If true, a matching part may only seem to match: no issue may follow from it. */
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
