/** Checks the shape of a JSON value. Each check adds its errors to the list, with their path. */
import { isObject } from '../json.ts';

export type Check = (value: unknown, place: string, wrong: string[]) => void;

const problem = (place: string, wanted: string, value: unknown): string =>
  `${place} is not ${wanted}: ${JSON.stringify(value)?.slice(0, 80)}`;

export const text =
  (pattern = /./su): Check =>
  (value, place, wrong) => {
    if (typeof value !== 'string' || !pattern.test(value)) wrong.push(problem(place, String(pattern), value));
  };

export const number: Check = (value, place, wrong) => {
  if (typeof value !== 'number') wrong.push(problem(place, 'a number', value));
};

export const oneOf =
  (...allowed: unknown[]): Check =>
  (value, place, wrong) => {
    if (!allowed.includes(value)) wrong.push(problem(place, `one of ${allowed.join(', ')}`, value));
  };

export const list =
  (check: Check, atLeast = 0): Check =>
  (value, place, wrong) => {
    if (!Array.isArray(value) || value.length < atLeast)
      wrong.push(problem(place, `a list of at least ${atLeast}`, value));
    else for (const [index, each] of value.entries()) check(each, `${place}[${index}]`, wrong);
  };

/** A name that ends in `?` is optional; other names are not allowed. */
export const object =
  (members: Readonly<Record<string, Check>>): Check =>
  (value, place, wrong) => {
    if (!isObject(value)) {
      wrong.push(problem(place, 'an object', value));
      return;
    }
    for (const [name, check] of Object.entries(members)) {
      const key = name.replace(/\?$/, '');
      if (key in value) check(value[key], `${place}.${key}`, wrong);
      else if (key === name) wrong.push(`${place}.${key} is missing`);
    }
    for (const key of Object.keys(value))
      if (!(key in members) && !(`${key}?` in members)) wrong.push(`${place}.${key} is not known`);
  };

export function wrongIn(value: unknown, check: Check): string[] {
  const wrong: string[] = [];
  check(value, '', wrong);
  return wrong;
}
