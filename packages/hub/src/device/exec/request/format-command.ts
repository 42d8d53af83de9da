/** A command as one line: for rules that are written for lines, and for callers that say again in words what they ask for. */
import { inlinePayload } from '../wrappers/inline-code.ts';

const NEEDS_QUOTES = /[\s"'&|;<>()^%!$`*?[\]{}~]/;

/** As the rules of `exec-policy.json` see it. */
export const formatCommand = (argv: readonly string[]): string =>
  argv.map((word) => (word === '' || NEEDS_QUOTES.test(word) ? quoted(word) : word)).join(' ');

/** As gateways write it: only blanks and quotes ask for quotes. */
const formatSparingly = (argv: readonly string[]): string =>
  argv.map((word) => (word === '' || /[\s"]/.test(word) ? quoted(word) : word)).join(' ');

const quoted = (word: string): string => `"${word.replaceAll('"', '\\"')}"`;

/** Whether a line says what the words say; of a shell, what it is given to run will do. */
export const saysTheSame = (line: string, argv: readonly string[]): boolean =>
  [formatCommand(argv), formatSparingly(argv), inlinePayload(argv)].includes(line.trim()) ||
  inlinePayload(argv) === line;
