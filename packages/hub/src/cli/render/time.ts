/** Formats and parses times and durations. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `3 min`, `1 h 20 min`, `45 s`, `12 ms`: the two largest units. */
export function renderSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const at = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[at]!;
  const whole = Math.floor(ms / size);
  const next = UNITS[at + 1];
  const rest = next === undefined ? 0 : Math.floor((ms - whole * size) / next[1]);
  // A second unit is only useful beside a small number.
  const isFine = rest > 0 && next !== undefined && whole < 10;
  return isFine ? `${whole} ${unit} ${rest} ${next[0]}` : `${whole} ${unit}`;
}

/** `14:03:21` today, `2026-11-15 14:03:21` on another day, in local time. */
export function renderTime(at: number, now: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

/** Parses a duration such as `90s`, `15m`, `1h`, `7d` into milliseconds. Returns undefined if it is invalid. */
export function parseSpan(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|min|h|d)$/.exec(text.trim());
  if (match === null) return undefined;
  const sizes: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, min: 6e4, h: 3.6e6, d: 8.64e7 };
  return Number(match[1]) * sizes[match[2]!]!;
}
