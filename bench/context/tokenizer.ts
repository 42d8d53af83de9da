/** A real tokenizer, so that nobody has to believe in bytes by four. */
import { installedVersion } from '../subjects/installed.ts';

/** Of the models that publish theirs; what Claude counts is not public and differs by some percent. */
const ENCODING = 'o200k_base';
const PACKAGE = 'gpt-tokenizer';

export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
}

export async function loadTokenizer(): Promise<Tokenizer> {
  // Named at run time: the type check does not need what only a benchmark installs.
  const path: string = `${PACKAGE}/encoding/${ENCODING}`;
  const { countTokens } = (await import(path)) as { countTokens: (text: string) => number };
  return { name: `${PACKAGE} ${installedVersion(PACKAGE)}, ${ENCODING}`, count: countTokens };
}
