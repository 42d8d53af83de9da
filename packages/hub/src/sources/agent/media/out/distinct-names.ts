/** Names for what comes with an answer: each has one, and no two have the same. */
import { FILE_TYPES, IMAGE_TYPES } from '../media-types.ts';
import { safeName } from '../safe-name.ts';

interface Named {
  readonly mimeType: string;
  readonly name: string | undefined;
}

export function distinctNames(media: readonly Named[]): string[] {
  const taken = new Set<string>();
  /** Where to look for a free number: an answer may have thousands of one name. */
  const next = new Map<string, number>();
  return media.map(({ mimeType, name }) => {
    const wanted = (name === undefined ? undefined : safeName(name)) ?? defaultName(mimeType);
    const dot = wanted.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
    let free = wanted;
    for (let number = next.get(wanted) ?? 2; taken.has(free); number++) {
      free = `${stem}-${number}${ending}`;
      next.set(wanted, number + 1);
    }
    taken.add(free);
    return free;
  });
}

function defaultName(mimeType: string): string {
  const ending = IMAGE_TYPES.get(mimeType) ?? FILE_TYPES.get(mimeType);
  const kind = /^(?:image|audio|video)(?=\/)/.exec(mimeType)?.[0] ?? 'file';
  return ending === undefined ? kind : `${kind}.${ending}`;
}
