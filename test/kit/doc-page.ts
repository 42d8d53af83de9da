/** A documentation page, with a check that a test takes every block. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../docs');

export interface DocPage {
  text: string;
  /** Returns the block of a language that begins with or contains this text. Throws unless exactly one matches. */
  take(language: string, about: string): string;
  /** The blocks that were not taken. */
  untaken(): string[];
}

export function openDocPage(name: string): DocPage {
  const text = readFileSync(join(DOCS, name), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    block,
    isTaken: false,
  }));
  return {
    text,
    take(language, about) {
      const found = blocks.filter((each) => each.language === language && each.block.includes(about));
      const first = found.filter(({ block }) => block.startsWith(about));
      const [one, ...more] = first.length > 0 ? first : found;
      if (one === undefined || more.length > 0)
        throw new Error(`${one === undefined ? 'No' : 'More than one'} block in ${language}: ${about}`);
      one.isTaken = true;
      return one.block;
    },
    untaken: () => blocks.filter(({ isTaken }) => !isTaken).map(({ block }) => block),
  };
}
