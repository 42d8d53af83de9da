/** Arguments that a call repeats in HTTP headers, so that gateways can route without reading the body. */
import type { HeaderParam } from '../catalog/header-annotations.ts';
import { isRecord } from '../../lib/record.ts';
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';
import { memberAt, DuplicateKeyError } from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

export interface HeaderValue {
  readonly header: string;
  /** The argument's text; the wire encodes what a header cannot carry. */
  readonly value: string;
}

export interface AnnotatedTool {
  readonly headerParams: readonly HeaderParam[];
}

const NONE: readonly HeaderValue[] = [];

/** The headers that a call with these arguments needs. Null and absent arguments have none. */
export function headerValues(
  { headerParams }: AnnotatedTool,
  args: ByteText | undefined,
): readonly HeaderValue[] {
  if (headerParams.length === 0 || args === undefined) return NONE;
  return headerParams.flatMap(({ path, header }) => {
    const value = textOf(lastAt(args, path));
    return value === undefined ? [] : { header, value };
  });
}

/**
 * Returns the first header that contradicts the body. `headerOf` gets a lower-case name and returns the decoded value,
 * or undefined if the header cannot be decoded.
 */
export function checkHeaderParams(
  { headerParams }: AnnotatedTool,
  args: ByteText | undefined,
  headerOf: (name: string) => string | undefined,
): string | undefined {
  return headerParams.find((param) => !agrees(param, args ?? '{}', headerOf(param.header.toLowerCase())))
    ?.header;
}

function agrees({ path, type }: HeaderParam, args: ByteText, given: string | undefined): boolean {
  const raw = onlyAt(args, path);
  if (raw === AMBIGUOUS) return false;
  const value = textOf(raw);
  if (given === undefined || value === undefined) return given === value || isBeyondHeaders(raw);
  return given === value || (type === 'integer' && isNumber(raw!) && isSameInteger(given, value));
}

const AMBIGUOUS = Symbol('duplicate key on the path');

/** On a duplicate key the gateway and the server might read different values. */
function onlyAt(args: ByteText, path: readonly string[]): ByteText | undefined | typeof AMBIGUOUS {
  try {
    return memberAt(args, path);
  } catch (error) {
    if (error instanceof DuplicateKeyError) return AMBIGUOUS;
    throw error;
  }
}

/** On duplicate keys the last one wins, as in most parsers. */
function lastAt(args: ByteText, path: readonly string[]): ByteText | undefined {
  const raw = onlyAt(args, path);
  if (raw !== AMBIGUOUS) return raw;
  let value = parseBytes(args);
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value === undefined ? undefined : jsonBytes(value);
}

function textOf(raw: ByteText | undefined): string | undefined {
  if (raw === undefined || raw === 'null' || raw.startsWith('{') || raw.startsWith('[')) return undefined;
  if (raw.startsWith('"')) return plainString(raw);
  return isNumber(raw) ? decimalOf(raw) : raw;
}

const isNumber = (raw: ByteText): boolean => /^[-\d]/.test(raw);

const WHOLE = /^(-?\d+)(?:\.0+)?$/;

/** 42.0 and 4.2e1 become 42; a number that JavaScript cannot hold keeps its spelling. */
function decimalOf(raw: ByteText): string {
  const whole = WHOLE.exec(raw)?.[1];
  if (whole !== undefined) return whole === '-0' ? '0' : whole;
  const value = Number(raw);
  return Number.isSafeInteger(value) ? String(value) : raw;
}

/** The protocol has no header for such an integer; clients omit it. */
const isBeyondHeaders = (raw: ByteText | undefined): boolean =>
  raw !== undefined && isNumber(raw) && Math.abs(Number(raw)) > Number.MAX_SAFE_INTEGER;

/** Longer numbers are compared as text, which is cheap. */
const MAX_COMPARED = 64;

function isSameInteger(given: string, value: string): boolean {
  const whole = given.length <= MAX_COMPARED ? WHOLE.exec(given)?.[1] : undefined;
  return (
    whole !== undefined &&
    value.length <= MAX_COMPARED &&
    WHOLE.test(value) &&
    BigInt(whole) === BigInt(value)
  );
}
