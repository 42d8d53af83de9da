/** Media in a payload: known to be base64, so that nobody has to look through megabytes for what needs an escape. */

/** In JSON, the text. */
export class Base64 {
  readonly #bytes: Buffer;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Made once, for as many places as it stands in. */
  get text(): string {
    return (this.#text ??= this.#bytes.toString('base64'));
  }

  toJSON(): string {
    return this.text;
  }
}

/** The same as `data:` URI. */
export class DataUri {
  readonly head: string;
  readonly data: Base64;

  constructor(mimeType: 'image/png' | 'image/jpeg', data: Base64) {
    this.head = `data:${mimeType};base64,`;
    this.data = data;
  }

  toJSON(): string {
    return this.head + this.data.text;
  }
}
