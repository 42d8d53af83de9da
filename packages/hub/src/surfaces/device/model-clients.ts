/** Clients that hand a tool's text to a model. A picture as text would be half a million tokens to it, or an error. */
import { isRecord } from '../../core/is-record.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';

/** By the beginning of the name that they give in `initialize`. */
const NAMES = [
  'claude',
  'codex',
  'cursor',
  'gemini',
  'openclaw',
  'visual studio code',
  'windsurf',
  'zed',
  'cline',
];

export function isModelClient(info: ByteText | undefined): boolean {
  const value = info === undefined ? undefined : parseBytes(info);
  const name = isRecord(value) && typeof value['name'] === 'string' ? value['name'].toLowerCase() : '';
  return NAMES.some((known) => name.startsWith(known));
}
