/** Documents of other parties: JSON objects whose members are looked at one by one. Pure. */
import { PincerError } from '../../../../core/errors.ts';
import { isRecord } from '../../../../core/is-record.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function readObject(text: string, what: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new PincerError('SIGN_IN_FAILED', `${what} is no JSON object.`);
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function neededTextIn(fields: Fields, name: string, what: string): string {
  const value = textIn(fields, name);
  if (value === undefined) throw new PincerError('SIGN_IN_FAILED', `${what} has no "${name}".`);
  return value;
}

export function textsIn(fields: Fields, name: string): readonly string[] | undefined {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}
