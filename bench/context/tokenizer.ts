/** A real tokenizer, because bytes divided by four are only an estimate. */
import { installedVersion } from '../subjects/installed.ts';

/** The encoding of models with a public tokenizer. Claude's is not public and differs by a few percent. */
const ENCODING = 'o200k_base';
const PACKAGE = 'gpt-tokenizer';

export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
}

export async function loadTokenizer(): Promise<Tokenizer> {
  // Imported by a computed path, so that the type check does not need packages that only a benchmark installs.
  const path: string = `${PACKAGE}/encoding/${ENCODING}`;
  const { countTokens } = (await import(path)) as { countTokens: (text: string) => number };
  return { name: `${PACKAGE} ${installedVersion(PACKAGE)}, ${ENCODING}`, count: countTokens };
}
