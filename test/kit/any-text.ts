import fc from 'fast-check';

/**
 * Any character that UTF-8 can encode, mostly ASCII. Written here because fast-check's unit `binary` needs a second
 * of setup in every file that uses it.
 */
export const anyChar = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10_f7ff))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Any well-formed text of at most `maxLength` characters. */
export const anyText = (maxLength = 12, minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: anyChar, minLength, maxLength });

/**
 * Any key except a single backslash. V8 13.6, which tests compare with, reads the key `"\\n"` as a backslash if an
 * object of the same shape had that key before: `JSON.parse('{"a":0,"\\\\":1}')`, then
 * `JSON.parse('{"a":0,"\\n":1}')`.
 */
export const anyKey = (): fc.Arbitrary<string> => anyText().filter((key) => key !== '\\');

/** Any JSON value, with keys (see `anyKey`) and strings of every script. */
export const anyJson = (maxDepth = 2): fc.Arbitrary<fc.JsonValue> =>
  fc
    .jsonValue({ stringUnit: anyChar, maxDepth })
    .filter((value) => !JSON.stringify(value).includes(String.raw`"\\":`));
