/** `argPattern` of an entry: which arguments it is for. */
import { runInThisContext } from 'node:vm';
import { sha256Hex } from '../sha256.ts';

const EXACT = 'sha256:argv:';
const EXACT_IN_FOLDER = 'sha256:cwd-argv:v1:';

/** Longer ones match nothing. */
const MAX_PATTERN_CHARS = 4_096;
const MAX_SUBJECT_CHARS = 64 * 1024;
/** A pattern that takes longer matches nothing. */
const MAX_MATCH_MS = 250;

const counted = (text: string): string => `${Buffer.byteLength(text)}\0${text}\0`;
const countedArguments = (args: readonly string[]): string => `${args.length}\0${args.map(counted).join('')}`;

/** For exactly these arguments, anywhere. */
export const exactArguments = (argv: readonly string[]): string =>
  `${EXACT}${sha256Hex(countedArguments(argv.slice(1)))}`;

/** For exactly these arguments, in exactly this folder. */
export const exactArgumentsIn = (argv: readonly string[], cwd: string): string =>
  `${EXACT_IN_FOLDER}${sha256Hex(`${counted(cwd.replaceAll('\\', '/'))}${countedArguments(argv.slice(1))}`)}`;

export const isExact = (argPattern: string): boolean =>
  argPattern.startsWith(EXACT) || argPattern.startsWith(EXACT_IN_FOLDER);

export function matchesArguments(argPattern: string, argv: readonly string[], cwd: string): boolean {
  if (isExact(argPattern))
    return argPattern === exactArguments(argv) || argPattern === exactArgumentsIn(argv, cwd);
  // Any other `sha256:` is of a form that is not known.
  if (argPattern.startsWith('sha256:')) return false;
  const subject = subjectOf(argv.slice(1), argPattern.includes('\0'));
  return subject !== undefined && matchesWithin(argPattern, subject);
}

/** Arguments end with a NUL each. A pattern without one is for a line of words, in which no word holds a blank. */
function subjectOf(args: readonly string[], hasNul: boolean): string | undefined {
  if (hasNul) return args.length === 0 ? '\0\0' : `${args.join('\0')}\0`;
  return args.some((word) => word === '' || /\s/.test(word)) ? undefined : args.join(' ');
}

function matchesWithin(pattern: string, subject: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS || subject.length > MAX_SUBJECT_CHARS) return false;
  try {
    // The only way to stop an expression that goes on for ages; both texts are data in the line that runs.
    const line = `new RegExp(${JSON.stringify(pattern)}, 'u').test(${JSON.stringify(subject)})`;
    return runInThisContext(line, { timeout: MAX_MATCH_MS }) === true;
  } catch {
    return false;
  }
}
