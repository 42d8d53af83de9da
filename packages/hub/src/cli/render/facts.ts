import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

/** `label  value` lines under each other; without a value the line is left out. */
export function renderFacts(
  facts: readonly (readonly [label: string, value: string | undefined])[],
  style: Style,
  width?: number,
): string[] {
  const given = facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
  return columns(
    given.map(([label, value]) => [`  ${style.dim(label)}`, value]),
    width,
  );
}
