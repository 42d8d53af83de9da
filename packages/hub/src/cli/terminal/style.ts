/** Colour, for terminals only. */
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
  (on: number, off: number): Paint =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`;

export const COLOURED: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
};

/** `FORCE_COLOR` wins over `NO_COLOR`, as in Node itself. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

export const styleFor = (stream: { readonly isTTY?: boolean }): Style =>
  wantsColour(process.env, stream.isTTY === true) ? COLOURED : PLAIN;
