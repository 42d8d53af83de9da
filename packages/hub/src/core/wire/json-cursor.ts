/** Walks through JSON once without parsing values, so duplicate keys and long numbers are preserved. */
import { fromByteText, type ByteText } from './byte-text.ts';
import { isEscaped, skipSpace } from './members.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word';

const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Every step moves forward or throws, even on text that is not JSON. */
export class JsonCursor {
  readonly #text: ByteText;
  #at = 0;
  #isFirst = false;

  constructor(text: ByteText) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  /** A second cursor at the same position. */
  fork(): JsonCursor {
    const fork = new JsonCursor(this.#text);
    fork.#at = this.#at;
    fork.#isFirst = this.#isFirst;
    return fork;
  }

  kind(): JsonKind {
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === '{') return 'object';
    if (char === '[') return 'array';
    if (char === '"') return 'string';
    return char === 't' || char === 'f' || char === 'n' ? 'word' : 'number';
  }

  /** Skips a value and returns its text; a string without its quotes. */
  skip(): ByteText {
    const kind = this.kind();
    if (kind === 'string') return this.#string();
    if (kind !== 'object' && kind !== 'array') return this.#match(PLAIN);
    const start = this.#at;
    let depth = 0;
    do {
      const char = this.#text[this.#at];
      if (char === undefined) throw new SyntaxError('JSON that does not end');
      if (char === '"') this.#string();
      else {
        if (char === '{' || char === '[') depth++;
        else if (char === '}' || char === ']') depth--;
        this.#at++;
      }
    } while (depth > 0);
    return this.#text.slice(start, this.#at);
  }

  /** Enters the container at the cursor. */
  enter(): void {
    this.#at++;
    this.#isFirst = true;
  }

  /** Returns whether the container has another member or element; if not, leaves the container. */
  hasMore(): boolean {
    this.#skipSpace();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const char = this.#text[this.#at];
    if (char !== '}' && char !== ']') {
      if (!isFirst) this.#expect(',');
      return true;
    }
    this.#at++;
    return false;
  }

  /** Reads a member's key: raw without quotes, and decoded. */
  key(): { readonly raw: ByteText; readonly text: string } {
    if (this.kind() !== 'string') throw new SyntaxError('a name is a string');
    const raw = this.#string();
    this.#skipSpace();
    this.#expect(':');
    return { raw, text: JSON.parse(`"${fromByteText(raw)}"`) as string };
  }

  expectEnd(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw new SyntaxError('more than one value');
  }

  #string(): ByteText {
    const start = this.#at + 1;
    let end = this.#text.indexOf('"', start);
    while (end !== -1 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    if (end === -1) throw new SyntaxError('a string that does not end');
    this.#at = end + 1;
    return this.#text.slice(start, end);
  }

  #skipSpace(): void {
    this.#at = skipSpace(this.#text, this.#at);
  }

  #expect(char: string): void {
    if (this.#text[this.#at] !== char) throw new SyntaxError(`"${char}" is missing`);
    this.#at++;
  }

  #match(pattern: RegExp): ByteText {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new SyntaxError('not a value');
    this.#at += found.length;
    return found;
  }
}
