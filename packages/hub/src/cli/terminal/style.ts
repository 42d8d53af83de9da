/** Colours, used only on terminals. */
import type { Environment } from '../../lib/process.ts';

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

type Paint = (text: string) => string;

const plain: Paint = (text) => text;
export const PLAIN: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };

const paint =
  ([on, off]: readonly [on: number, off: number]): Paint =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`;

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** All codes that Pincer sends to a terminal. */
export const COLOUR_CODES: readonly number[] = [...new Set(Object.values(CODES).flat())];

export const COLOURED: Style = {
  bold: paint(CODES.bold),
  dim: paint(CODES.dim),
  red: paint(CODES.red),
  green: paint(CODES.green),
  yellow: paint(CODES.yellow),
};

/** `FORCE_COLOR` overrides `NO_COLOR`, as in Node. */
export function wantsColour(env: Environment, isTerminal: boolean): boolean {
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

export const styleFor = (stream: { readonly isTTY?: boolean }): Style =>
  wantsColour(process.env, stream.isTTY === true) ? COLOURED : PLAIN;
