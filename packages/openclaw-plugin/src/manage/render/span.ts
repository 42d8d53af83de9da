const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `2h`, `45m`, `30s`: the largest unit. */
export function renderSpan(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS.at(-1)!;
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}
