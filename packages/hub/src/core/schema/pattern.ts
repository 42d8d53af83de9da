/**
 * Regular expressions from schemas, matched in linear time. JavaScript's own engine backtracks, so `^(a+)+$` can take
 * exponential time. This one follows all paths at once (Thompson's construction) and counts each step. It leaves single
 * characters and classes to JavaScript, where nothing can be repeated.
 */

/** Returns whether the text has a match. `spend` is charged for the work; if it returns false, the text passes. */
export type Pattern = (text: string, spend: (steps: number) => boolean) => boolean;

/** Limits of the expression, and of its size after repetitions are expanded. */
const MAX_CHARS = 2_048;
const MAX_STATES = 4_096;
/** State visits that cost about as much as one step of a check. */
const VISITS_PER_STEP = 8;
const STATES_PER_STEP = 64;

/** @returns undefined if the expression is invalid or uses lookaround, back references or modifiers. */
export function createPattern(source: string): Pattern | undefined {
  if (source.length > MAX_CHARS) return undefined;
  const flags = ['u', ''].find((each) => isExpression(source, each));
  if (flags === undefined) return undefined;
  try {
    return matcherOf(parse(source, flags), flags === 'u');
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).flags === flags;
  } catch {
    return false;
  }
}

class Unsupported extends Error {}

type Part =
  | { readonly kind: 'character'; readonly fits: (code: number) => boolean }
  | { readonly kind: 'assertion'; readonly holds: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | Repeat;

interface Repeat {
  readonly kind: 'repeat';
  readonly part: Part;
  readonly min: number;
  readonly max: number;
}

/** The codes of the characters before and after a position; -1 at the ends of the text. */
type Assertion = (before: number, after: number) => boolean;

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': (before) => before < 0,
  $: (_, after) => after < 0,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
};

const isWord = (code: number): boolean => code >= 0 && /\w/.test(String.fromCodePoint(code));

/** Everything that `new RegExp` accepts: an assertion, a class, an escape, a group, a quantifier, a character. */
const TOKEN = new RegExp(
  [
    String.raw`(?<assertion>[$^]|\\[Bb])`,
    String.raw`(?<class>\[(?:\\.|[^\]\\])*\])`,
    String.raw`(?<escape>\\u\{[^}]*\}|\\u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\[Pp]\{[^}]*\}|\\[^1-9ck])`,
    String.raw`(?<open>\((?:\?:|\?<[^!=][^>]*>|(?!\?)))`,
    String.raw`(?<close>\))`,
    String.raw`(?<or>\|)`,
    String.raw`(?<repeat>(?:[*+?]|\{(?<min>\d+)(?<more>,(?<max>\d*))?\})\??)`,
    String.raw`(?<character>[^()\\])`,
  ].join('|'),
  'suy',
);

function parse(source: string, flags: string): Part {
  let at = 0;

  function next(): Readonly<Record<string, string | undefined>> | undefined {
    if (at >= source.length) return undefined;
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(source)?.groups;
    if (groups === undefined) throw new Unsupported();
    at = TOKEN.lastIndex;
    return groups;
  }

  function readChoice(isInside: boolean): Part {
    const branches: Part[][] = [[]];
    for (let token = next(); token !== undefined; token = next()) {
      const sequence = branches.at(-1)!;
      const { assertion, open, close, or, repeat } = token;
      if (close !== undefined) {
        if (isInside) return choiceOf(branches);
        throw new Unsupported();
      } else if (or !== undefined) branches.push([]);
      else if (open !== undefined) sequence.push(readChoice(true));
      else if (assertion !== undefined) sequence.push({ kind: 'assertion', holds: ASSERTIONS[assertion]! });
      else if (repeat !== undefined) {
        const part = sequence.pop();
        if (part === undefined) throw new Unsupported();
        sequence.push(repeatOf(part, token));
      } else sequence.push(characterOf((token['class'] ?? token['escape'] ?? token['character'])!, flags));
    }
    if (isInside) throw new Unsupported();
    return choiceOf(branches);
  }

  return readChoice(false);
}

function choiceOf(branches: readonly (readonly Part[])[]): Part {
  const parts = branches.map((sequence): Part => ({ kind: 'sequence', parts: sequence }));
  return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
}

function repeatOf(part: Part, token: Readonly<Record<string, string | undefined>>): Part {
  const { repeat = '', min, more, max } = token;
  if (min !== undefined) {
    const least = Number(min);
    if (more === undefined) return { kind: 'repeat', part, min: least, max: least };
    return { kind: 'repeat', part, min: least, max: max === '' ? Infinity : Number(max) };
  }
  return {
    kind: 'repeat',
    part,
    min: repeat.startsWith('+') ? 1 : 0,
    max: repeat.startsWith('?') ? 1 : Infinity,
  };
}

const ASCII = 128;

/** Asks JavaScript whether a character matches, and caches the answer for ASCII. */
function characterOf(token: string, flags: string): Part {
  // Without `u`, these mean repeated letters.
  if (flags === '' && /^\\(?:[Pp]|u\{)/.test(token)) throw new Unsupported();
  const expression = new RegExp(`^(?:${token})$`, flags);
  const known: (boolean | undefined)[] = [];
  return {
    kind: 'character',
    fits: (code) =>
      code < ASCII
        ? (known[code] ??= expression.test(String.fromCharCode(code)))
        : expression.test(String.fromCodePoint(code)),
  };
}

interface State {
  readonly fits?: (code: number) => boolean;
  readonly holds?: Assertion;
  /** Indexes of the following states. */
  readonly next: number[];
}

/** Builds states from last to first, so that each knows its successors. State 0 is the match. */
function matcherOf(expression: Part, isByCodePoint: boolean): Pattern {
  const states: State[] = [{ next: [] }];
  const start = add(expression, 0);

  function make(state: State): number {
    if (states.length >= MAX_STATES) throw new Unsupported();
    return states.push(state) - 1;
  }

  function add(part: Part, after: number): number {
    if (part.kind === 'character') return make({ fits: part.fits, next: [after] });
    if (part.kind === 'assertion') return make({ holds: part.holds, next: [after] });
    if (part.kind === 'sequence')
      return part.parts.reduceRight((following, each) => add(each, following), after);
    if (part.kind === 'choice') return make({ next: part.parts.map((each) => add(each, after)) });
    return addRepeat(part, after);
  }

  function addRepeat({ part, min, max }: Repeat, after: number): number {
    let following = after;
    if (max === Infinity) {
      const next = [after];
      following = make({ next });
      next.push(add(part, following));
    } else
      for (let count = min; count < max; count++) following = make({ next: [after, add(part, following)] });
    for (let count = 0; count < min; count++) {
      following = add(part, following);
      // Each repetition adds a state, even for an empty part, so that no expression repeats nothing without end.
      following = make({ next: [following] });
    }
    return following;
  }

  return (text, spend) => isMatched(text, { states, start, isByCodePoint }, spend);
}

interface Program {
  readonly states: readonly State[];
  readonly start: number;
  readonly isByCodePoint: boolean;
}

function isMatched(
  text: string,
  { states, start, isByCodePoint }: Program,
  spend: (steps: number) => boolean,
): boolean {
  const codeAt = (at: number): number =>
    at >= text.length ? -1 : isByCodePoint ? text.codePointAt(at)! : text.charCodeAt(at);
  // Large expressions take time even on short texts.
  if (!spend(states.length / STATES_PER_STEP)) return true;
  /** The position at which each state was last entered. */
  const entered = new Int32Array(states.length).fill(-1);
  const pending: number[] = [];
  const waiting: number[] = [];
  let before = -1;
  for (let at = 0; ;) {
    const code = codeAt(at);
    let visits = 1;
    pending.push(start);
    for (const index of waiting) pending.push(index);
    waiting.length = 0;
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (entered[index] === at) continue;
      entered[index] = at;
      visits++;
      if (index === 0) return true;
      const { fits, holds, next } = states[index]!;
      if (fits !== undefined) {
        if (code >= 0 && fits(code)) waiting.push(next[0]!);
      } else if (holds === undefined || holds(before, code)) pending.push(...next);
    }
    if (code < 0) return false;
    if (!spend(visits / VISITS_PER_STEP)) return true;
    before = code;
    at += code > 0xff_ff ? 2 : 1;
  }
}
