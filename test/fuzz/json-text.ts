/** Random JSON as text, with what readers of JSON stumble over. */
import type { Random } from './random.ts';

const SCALARS = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1.0',
  '1e400',
  '-1E-400',
  '99999999999999999999',
  '2.5e-8',
  '""',
  '"a"',
  '"é🦀"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\n\\r\\t\\b\\f\\/\\\\\\""',
  '"__proto__"',
  '"2026-07-28"',
  '"Ċ{Ģ"',
];
const KEYS = [
  'a',
  'id',
  'name',
  '_meta',
  'method',
  'params',
  '__proto__',
  'constructor',
  'é',
  '',
  '\\u0061',
  'x\\"y',
];

export function jsonText(random: Random, depth = 3): string {
  const kind = depth === 0 ? 0 : random.int(8);
  if (kind < 5) return random.pick(SCALARS);
  const space = random.oneIn(4) ? random.pick([' ', '\t', '\r', ' \t ']) : '';
  const items = Array.from({ length: random.int(4) }, () => jsonText(random, depth - 1));
  if (kind === 5) return `[${space}${items.join(`${space},`)}${space}]`;
  return `{${items.map((item) => `${space}"${random.pick(KEYS)}"${space}:${item}`).join(',')}${space}}`;
}
