/** Names on a command line that may be those of files which it runs or reads. */

/** The first words of an interpreter's line, among which its script is. */
const MAX_GUESSED = 16;
/** Names in code on the line that are looked at. */
const MAX_IN_CODE = 1_024;
/** Programs that are looked for by their name alone. */
const MAX_PROGRAMS = 64;

/** The word itself, what stands behind `=` or the letter of an option, and behind `@` for those that read a file. */
export function fileNamesIn(word: string): string[] {
  const value = /^[^=]*=(.+)$/s.exec(word)?.[1];
  const glued = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  return [word, value, glued, word.startsWith('@') ? word.slice(1) : undefined].filter(
    (name): name is string => name !== undefined && name !== '' && !name.includes('\0'),
  );
}

/** What an interpreter finds by less than a file's name: `node server` runs server.js, `python -m app.tool` app/tool.py. */
export const guessedFrom = (argv: readonly string[]): string[] =>
  argv
    .slice(1, MAX_GUESSED + 1)
    .flatMap(fileNamesIn)
    .flatMap(foundBy);

const foundBy = (name: string): string[] => [
  ...['.js', '/index.js', '/package.json', '/__main__.py'].map((end) => name + end),
  ...(/^[\w.]+$/.test(name)
    ? [`${name.replaceAll('.', '/')}.py`, `${name.replaceAll('.', '/')}/__main__.py`]
    : []),
];

const piecesOf = (argv: readonly string[]): string[] => [
  ...new Set(argv.slice(1).flatMap((word) => word.split(/[\s;&|<>()'"`$={},]+/))),
];

/** Paths that stand in code: `./build.sh && cat notes`. */
export const pathsInCode = (argv: readonly string[]): string[] =>
  piecesOf(argv)
    .filter((piece) => /[./\\]/.test(piece) && !piece.includes('\0'))
    .slice(0, MAX_IN_CODE);

/** Words that may be programs which a wrapper or a shell finds by their names. */
export const programsIn = (argv: readonly string[]): string[] =>
  piecesOf(argv)
    .filter((piece) => /^[\w+.-]+$/.test(piece) && !piece.startsWith('-'))
    .slice(0, MAX_PROGRAMS);
