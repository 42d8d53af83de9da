/** Arguments of a call as they may be shown and kept: without what looks like a secret, and not too long. */
import { JsonCursor } from '../wire/json-cursor.ts';
import { HIDDEN, hideSecrets } from './redact-secrets.ts';
import { clip, quotedVisibly } from './redact-text.ts';
import { isCountName, isSecretName } from './secret-names.ts';
import type { ByteText } from '../wire/byte-text.ts';

const MAX_DEPTH = 32;
const MAX_NAME_BYTES = 128;
const MAX_DIGITS = 64;
const CUT = '"…"';
const HIDDEN_TEXT = quotedVisibly(HIDDEN);
/** Room for the mark that something is missing, for one value that is hidden late, and for what closes the text. */
const RESERVE = 32 + MAX_DEPTH;

/**
 * JSON of at most `maxBytes` bytes of UTF-8. Every member is there in the order that it came, also one whose name
 * occurs twice: whoever decides about a call must see what a server may read. Never throws; what is not JSON is not shown.
 */
export function redactArguments(raw: ByteText | undefined, maxBytes: number): string {
  if (raw === undefined) return '{}';
  if (maxBytes < 2 * RESERVE) return CUT;
  try {
    return new Redaction(raw, maxBytes - RESERVE).run();
  } catch {
    return '"[unreadable]"';
  }
}

class Redaction {
  readonly #from: JsonCursor;
  readonly #out: string[] = [];
  #room: number;
  #isFull = false;
  #isMarked = false;

  constructor(raw: ByteText, room: number) {
    this.#from = new JsonCursor(raw);
    this.#room = room;
  }

  run(): string {
    this.#value('', undefined, 0);
    if (!this.#isFull) this.#from.expectEnd();
    return this.#out.join('') || CUT;
  }

  /** Writes `before` and the value that is kept under `name`; gives the text of a string that was shown. */
  #value(before: string, name: string | undefined, depth: number): string | undefined {
    const kind = this.#from.kind();
    const isSecret = name !== undefined && isSecretName(name);
    if ((kind === 'object' || kind === 'array') && !isSecret && depth < MAX_DEPTH)
      return this.#container(before, kind, depth + 1);
    const scalar = this.#from.skip();
    if (kind === 'word') this.#put(before + scalar);
    else if (isSecret && !(kind === 'number' && isCountName(name))) this.#put(before + HIDDEN_TEXT);
    else if (kind === 'number') this.#put(before + shortNumber(scalar));
    else if (kind === 'string') return this.#string(before, scalar);
    else this.#put(`${before}"[nested too deeply]"`);
  }

  /** One string takes at most half of the room: what comes after it is to be seen, too. */
  #string(before: string, raw: ByteText): string {
    const { text, shown } = clip(raw, Math.max(64, this.#room >> 1), hideSecrets);
    this.#put(before + shown);
    return text;
  }

  #container(before: string, kind: 'object' | 'array', depth: number): undefined {
    if (!this.#put(before + (kind === 'object' ? '{' : '['))) return;
    this.#from.enter();
    if (kind === 'object') this.#members(depth);
    else this.#elements(depth);
    this.#out.push(kind === 'object' ? '}' : ']');
  }

  #members(depth: number): void {
    const pair = new NamedValue();
    let comma = '';
    while (this.#from.hasMore()) {
      const key = this.#from.key();
      const before = `${comma}${clip(key.raw, MAX_NAME_BYTES, hideSecrets).shown}:`;
      const text = this.#value(before, pair.nameOf(key.text), depth);
      if (this.#isFull) {
        // What comes after might have said that it is a secret.
        if (pair.unnamed !== undefined) this.#hide(pair.unnamed);
        return this.#mark(`${comma}${CUT}:${CUT}`);
      }
      const late = pair.saw(key.text, text, { at: this.#out.length - 1, before });
      if (late !== undefined) this.#hide(late);
      comma = ',';
    }
  }

  #elements(depth: number): void {
    let comma = '';
    let last: string | undefined;
    while (this.#from.hasMore()) {
      last = this.#value(comma, last !== undefined && FLAG_OR_HEADER.test(last) ? last : undefined, depth);
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

  #hide({ at, before }: Written): void {
    const hidden = before + HIDDEN_TEXT;
    this.#room -= Buffer.byteLength(hidden) - Buffer.byteLength(this.#out[at]!);
    this.#out[at] = hidden;
  }

  /** Once, in the innermost container that is not whole. */
  #mark(piece: string): void {
    if (!this.#isMarked) this.#out.push(piece);
    this.#isMarked = true;
  }
}

/** `--password` or `Authorization`, as the word before its value in a list. */
const FLAG_OR_HEADER = /^[\w.-]{1,64}:?$/;

interface Written {
  readonly at: number;
  readonly before: string;
}

const NAMES_OF_NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field', 'variable']);

/** Members like `{"name": "Authorization", "value": …}`: what is in one decides whether the other is shown. */
class NamedValue {
  #name: string | undefined;
  #value: Written | undefined;

  /** A value that was shown though its name is not known yet. */
  get unnamed(): Written | undefined {
    return this.#name === undefined ? this.#value : undefined;
  }

  nameOf(key: string): string {
    return key.toLowerCase() === 'value' ? (this.#name ?? key) : key;
  }

  /** A value that was shown before its name was known, and should not have been. */
  saw(key: string, text: string | undefined, written: Written): Written | undefined {
    const plain = key.toLowerCase();
    if (text === undefined) return undefined;
    if (plain === 'value') this.#value = written;
    if (!NAMES_OF_NAMES.has(plain)) return undefined;
    this.#name = text;
    return isSecretName(text) ? this.#value : undefined;
  }
}

const shortNumber = (raw: ByteText): string =>
  raw.length <= MAX_DIGITS ? raw : quotedVisibly(`${raw.slice(0, MAX_DIGITS)}… ${raw.length} digits in all`);
