/** The configuration of a gateway as clients may see it. */
import { isRecord } from '../../lib/is-record.ts';
import { redactArguments } from '../../core/redact/redact.ts';
import { valueAt } from '../../lib/value-at.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';

const MAX_BYTES = 256 * 1024;

/** Of the answer to `config.get`: what was written, not what was made of it. */
export function configOf(answer: unknown): unknown {
  if (!isRecord(answer)) return undefined;
  return [answer['parsed'], answer['config']].find(isRecord) ?? undefined;
}

/**
 * What a dotted path leads to, without what looks like a secret. Names on the way count, too: below `auth`, nothing is shown.
 * Undefined: there is nothing.
 */
export function shownAt(config: unknown, path: string): unknown {
  const keys = path === '' ? [] : path.split('.');
  const found = valueAt(config, keys);
  if (found === undefined) return undefined;
  const onItsWay = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), found);
  return valueOrMark(withoutSecrets(onItsWay), keys);
}

/** Plain JSON; of what is too long, the beginning. */
export const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(redactArguments(jsonBytes(value), MAX_BYTES));

/** Where a name on the way is that of a secret, there is its mark instead of what is below it. */
function valueOrMark(shown: unknown, keys: readonly string[]): unknown {
  let inner = shown;
  for (const key of keys) {
    if (!isRecord(inner)) return inner;
    inner = inner[key];
  }
  return inner;
}
