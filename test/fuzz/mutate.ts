/** Damage: to the bytes of a message, or to its structure while it stays JSON. */
import { jsonText } from './json-text.ts';
import type { Random } from './random.ts';
import type { Member } from './valid-message.ts';

export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let current = bytes;
  for (let left = 1 + random.int(4); left > 0; left--) current = damage(random, current);
  return current;
}

function damage(random: Random, bytes: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  const end = Math.min(bytes.length, at + random.int(20));
  switch (random.int(6)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.int(256);
      return copy;
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(random.int(8)), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    default: {
      const token = random.pick([
        '{',
        '}',
        '[',
        ']',
        '"',
        ',',
        ':',
        '\\',
        '\0',
        '\n',
        '\ufeff',
        '\u2028',
        '0',
      ]);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(token), bytes.subarray(at)]);
    }
  }
}

/** Members left out, doubled, moved, renamed or with another value, on any level. */
export function mutateMembers(random: Random, members: readonly Member[]): Member[] {
  const copy = [...members];
  const at = random.int(copy.length);
  const member = copy[at];
  if (member === undefined) return [{ key: 'x', value: jsonText(random) }];
  if (typeof member.value !== 'string' && !random.oneIn(3)) {
    copy[at] = { key: member.key, value: mutateMembers(random, member.value) };
    return copy;
  }
  switch (random.int(7)) {
    case 0:
      copy.splice(at, 1);
      break;
    case 1:
      copy.splice(random.int(copy.length), 0, member);
      break;
    case 2:
      copy.splice(random.int(copy.length), 0, { key: escaped(member.key), value: jsonText(random) });
      break;
    case 3:
      copy[at] = { key: random.pick(['x', 'ID', 'Name', '__proto__', 'é']), value: member.value };
      break;
    case 4:
      copy.reverse();
      break;
    case 5:
      copy.push({
        key: random.pick(['x-new', 'é', '__proto__', 'result', 'error']),
        value: jsonText(random),
      });
      break;
    default:
      copy[at] = { key: member.key, value: jsonText(random) };
  }
  return copy;
}

/** The same key in another spelling. */
const escaped = (key: string): string =>
  key === '' ? key : `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
