import { styleText } from 'node:util';
import { visible } from '../core/visible.ts';

const STYLES = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

const isLevel = (level: unknown): level is keyof typeof STYLES =>
  typeof level === 'string' && level in STYLES;

/** One JSON line of the log as `12:03:11 info  server "x" is ready attempt=2`. */
export function prettyLine(json: string, colour: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const name = isLevel(level) ? level : 'info';
  const paint = (style: (typeof STYLES)[keyof typeof STYLES], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${fact(value)}`);
  const rest = facts.length === 0 ? '' : paint('gray', visible(facts.join('')));
  return `${paint('gray', clock)} ${paint(STYLES[name], name.padEnd(5))} ${visible(String(msg))}${rest}\n`;
}

const fact = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
