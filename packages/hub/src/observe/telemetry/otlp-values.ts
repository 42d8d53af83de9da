/** Values in OTLP's JSON: times as decimal text, ids as hexadecimal text, enums as numbers. */

export interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

export const keyValues = (pairs: Iterable<readonly [string, string | undefined]>): KeyValue[] =>
  Array.from(pairs).flatMap(([key, stringValue]) =>
    stringValue === undefined ? [] : [{ key, value: { stringValue } }],
  );

const NANOS_PER_MS = 1_000_000;

/** Milliseconds as nanoseconds, as text: a number cannot hold that many digits. */
export function nanos(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const rest = Math.min(NANOS_PER_MS - 1, Math.round((milliseconds - whole) * NANOS_PER_MS));
  return `${whole}${String(rest).padStart(6, '0')}`;
}

/** The sender. */
export interface Origin {
  readonly version: string;
  /** A random id of this process. */
  readonly instance: string;
}

export const resourceOf = ({ version, instance }: Origin): { attributes: KeyValue[] } => ({
  attributes: keyValues([
    ['service.name', 'pincer'],
    ['service.version', version],
    ['service.instance.id', instance],
  ]),
});

export const scopeOf = ({ version }: Origin): { name: string; version: string } => ({
  name: 'pincer',
  version,
});
