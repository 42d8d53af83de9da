/** Rewrites strings inside of JSON; every other byte stays. The text must have passed JSON.parse. */
import type { ByteText } from '../wire/byte-text.ts';
import { skipString, unquote } from '../wire/members.ts';

export interface StringRules<C> {
  /** Of the whole text. */
  readonly root: C;
  /** What an object or array is that stands under `key`; undefined: an element of an array. */
  enter(inside: C, key: string | undefined): C;
  /** A string under `key`, quotes included, as it is to be. */
  rewrite(inside: C, key: string | undefined, token: ByteText): ByteText;
}

interface Level<C> {
  readonly isObject: boolean;
  readonly context: C;
}

const STRUCTURE = /["{}[\],]/g;

/** Without recursion: a definition may nest as deep as it likes. */
export function rewriteStrings<C>(json: ByteText, rules: StringRules<C>): ByteText {
  const outer: Level<C>[] = [];
  let level: Level<C> = { isObject: false, context: rules.root };
  let key: string | undefined;
  let isKeyNext = false;
  let out = '';
  let copied = 0;
  let at = 0;
  for (;;) {
    STRUCTURE.lastIndex = at;
    const found = STRUCTURE.exec(json);
    if (found === null) return copied === 0 ? json : out + json.slice(copied);
    const start = found.index;
    at = start + 1;
    switch (found[0]) {
      case '"': {
        at = skipString(json, start);
        if (isKeyNext) {
          key = unquote(json, start, at);
          isKeyNext = false;
          break;
        }
        const token = json.slice(start, at);
        const rewritten = rules.rewrite(level.context, key, token);
        if (rewritten === token) break;
        out += json.slice(copied, start) + rewritten;
        copied = at;
        break;
      }
      case ',':
        isKeyNext = level.isObject;
        break;
      case '}':
      case ']':
        level = outer.pop()!;
        key = undefined;
        break;
      default:
        outer.push(level);
        level = { isObject: found[0] === '{', context: rules.enter(level.context, key) };
        isKeyNext = level.isObject;
        key = undefined;
    }
  }
}
