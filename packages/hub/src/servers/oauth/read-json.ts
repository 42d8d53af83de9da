/** Reads JSON objects of other parties, member by member. */
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function readObject(text: string, what: string): Fields {
  const fields = fieldsOf(text);
  if (fields === undefined) throw new PincerError('SIGN_IN_FAILED', `${what} is not a JSON object.`);
  return fields;
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

export function textsIn(fields: Fields, name: string): string[] | undefined {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}
