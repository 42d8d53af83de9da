/** Arguments of a call for display and storage: without likely secrets, and clipped. */
import { JsonCursor } from '../wire/json-cursor.ts';
import { EVERYTHING, HIDDEN, type Hiding } from './redact-secrets.ts';
import { clip, quotedVisibly } from './redact-text.ts';
import { isCountName, isSecretName } from './secret-names.ts';
import { type ByteText, fromByteText } from '../wire/byte-text.ts';

const MAX_DEPTH = 32;
const MAX_NAME_BYTES = 128;
const MAX_DIGITS = 64;
const CUT = '"…"';
const HIDDEN_TEXT = quotedVisibly(HIDDEN);
/** Room for the mark that something is missing, and for closing brackets. */
const RESERVE = 32 + MAX_DEPTH;

/**
 * Returns JSON of at most `maxBytes` bytes of UTF-8. Keeps every member in its order, duplicate keys included: the
 * deciding person must see everything a server may read. Never throws. Invalid JSON is not shown.
 */
export function redactArguments(
  raw: ByteText | undefined,
  maxBytes: number,
  hiding: Hiding = EVERYTHING,
): string {
  if (raw === undefined) return '{}';
  if (maxBytes < 2 * RESERVE) return CUT;
  try {
    return new Redaction(raw, maxBytes - RESERVE, hiding).run();
  } catch {
    return '"[unreadable]"';
  }
}

class Redaction {
  readonly #from: JsonCursor;
  readonly #hiding: Hiding;
  readonly #out: string[] = [];
  #room: number;
  #isFull = false;
  #isMarked = false;

  constructor(raw: ByteText, room: number, hiding: Hiding) {
    this.#from = new JsonCursor(raw);
    this.#room = room;
    this.#hiding = hiding;
  }

  run(): string {
    this.#value('', undefined, 0);
    if (!this.#isFull) this.#from.expectEnd();
    return this.#out.join('') || CUT;
  }

  /** Writes `before` and the value under `name`. Returns the text of a string that was shown. */
  #value(before: string, name: string | undefined, depth: number): string | undefined {
    const kind = this.#from.kind();
    const secret = name !== undefined && isSecretName(name) ? name : undefined;
    const isWhole = secret !== undefined && this.#hiding.inSecret === undefined;
    if ((kind === 'object' || kind === 'array') && !isWhole && depth < MAX_DEPTH)
      return this.#container(before, kind, depth + 1, secret);
    const scalar = this.#from.skip();
    const isCount = kind === 'number' && secret !== undefined && isCountName(secret);
    if (kind === 'word') this.#put(before + scalar);
    else if (isWhole && !isCount) this.#put(before + HIDDEN_TEXT);
    else if (kind === 'string')
      return this.#string(before, scalar, secret === undefined ? 'inText' : 'inSecret');
    else if (kind !== 'number') this.#put(`${before}"[nested too deeply]"`);
    else if (secret === undefined || isCount) this.#put(before + shortNumber(scalar));
    else this.#put(before + quotedVisibly(this.#hiding.inSecret!(scalar.slice(0, MAX_DIGITS))));
  }

  /** One string takes at most half of the room, so that what follows is visible too. */
  #string(before: string, raw: ByteText, how: 'inText' | 'inSecret'): string {
    const { text, shown } = clip(raw, Math.max(64, this.#room >> 1), this.#hiding[how]!);
    this.#put(before + shown);
    return text;
  }

  /** `secret` is the secret name that covers everything inside. */
  #container(before: string, kind: 'object' | 'array', depth: number, secret: string | undefined): undefined {
    if (!this.#put(before + (kind === 'object' ? '{' : '['))) return;
    this.#from.enter();
    if (kind === 'object') this.#members(depth, secret);
    else this.#elements(depth, secret);
    this.#out.push(kind === 'object' ? '}' : ']');
  }

  #members(depth: number, secret: string | undefined): void {
    /** The name that a member such as "name" gives to another member, "value". */
    let givenName: string | undefined;
    let comma = '';
    while (this.#from.hasMore()) {
      const key = this.#from.key();
      const plain = key.text.toLowerCase();
      const before = `${comma}${clip(key.raw, MAX_NAME_BYTES, this.#hiding.inText).shown}:`;
      const name = plain === 'value' ? nameAhead(this.#from, givenName) : key.text;
      const text = this.#value(before, secret ?? name, depth);
      if (this.#isFull) return this.#mark(`${comma}${CUT}:${CUT}`);
      if (NAMES_OF_NAMES.has(plain)) givenName = text;
      comma = ',';
    }
  }

  #elements(depth: number, secret: string | undefined): void {
    let comma = '';
    let last: string | undefined;
    while (this.#from.hasMore()) {
      const name = last !== undefined && FLAG_OR_HEADER.test(last) ? last : undefined;
      last = this.#value(comma, secret ?? name, depth);
      if (this.#isFull) return this.#mark(comma + CUT);
      comma = ',';
    }
  }

  #put(piece: string): boolean {
    const size = Buffer.byteLength(piece);
    this.#isFull ||= size > this.#room;
    if (this.#isFull) return false;
    this.#room -= size;
    this.#out.push(piece);
    return true;
  }

  /** Once, in the innermost incomplete container. */
  #mark(piece: string): void {
    if (!this.#isMarked) this.#out.push(piece);
    this.#isMarked = true;
  }
}

/** `--password` or `Authorization`, as the element before its value. */
const FLAG_OR_HEADER = /^[\w.-]{1,64}:?$/;

const shortNumber = (raw: ByteText): string =>
  raw.length <= MAX_DIGITS ? raw : quotedVisibly(`${raw.slice(0, MAX_DIGITS)}… ${raw.length} digits in all`);

/** Members like `{"value": …, "name": "Authorization"}`: a later member decides whether the value is shown. */
const NAMES_OF_NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field', 'variable']);

/** How far to look after a value. A name further away might be that of a secret. */
const WINDOW = 4_096;
const UNKNOWN = 'secret';

/** The name of the value at the cursor, preferably that of a secret. `before` is a name already seen. */
function nameAhead(cursor: JsonCursor, before: string | undefined): string | undefined {
  if (before !== undefined && isSecretName(before)) return before;
  const ahead = cursor.fork();
  ahead.skip();
  const end = ahead.at + WINDOW;
  while (ahead.hasMore()) {
    const key = ahead.key();
    const isName = NAMES_OF_NAMES.has(key.text.toLowerCase()) && ahead.kind() === 'string';
    const raw = ahead.skip();
    const name = isName ? textOf(raw) : undefined;
    if (name !== undefined && isSecretName(name)) return name;
    before ??= name;
    if (ahead.at > end) return before ?? UNKNOWN;
  }
  return before;
}

/** Decodes a string without its quotes. */
const textOf = (raw: ByteText): string => JSON.parse(`"${fromByteText(raw)}"`) as string;
