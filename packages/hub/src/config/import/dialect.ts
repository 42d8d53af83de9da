/** How each client writes references in its strings, and how the same is said in ours. */
import { basename, sep } from 'node:path';
import { literal, type Entry } from './entry.ts';

/** Says one string of an entry in our words. */
export type Dialect = (text: string, entry: Entry) => string;

/** Claude Desktop and Codex know no references: a dollar is a dollar. */
export const plain: Dialect = (text) => literal(text);

/** `${NAME}` and `${NAME:-default}`. */
export const shellLike: Dialect = (text, entry) =>
  translate(text, /\$\{(\w+)(?::-(.*?))?\}/gs, ([, name, fallback]) => entry.variable(name!, fallback));

/** `${NAME}`, capitals only; `$${NAME}` is not a reference. */
export const openclawLike: Dialect = (text, entry) =>
  translate(text, /(\$?)\$\{([A-Z_][A-Z0-9_]*)\}/g, ([, escape, name]) =>
    escape === '$' ? literal(`\${${name}}`) : entry.variable(name!),
  );

/** `${NAME}`, `${NAME:-default}`, and `$env:NAME` as a whole string. */
export const mcporterLike: Dialect = (text, entry) => {
  const whole = /^\$env:(\w+)$/.exec(text);
  return whole === null ? shellLike(text, entry) : entry.variable(whole[1]!);
};

/** `${env:NAME}`, and `${file:PATH}` for what is in a file. */
export const windsurfLike: Dialect = (text, entry) =>
  translate(text, /\$\{(?:env:(\w+)|file:([^}]+))\}/g, ([, name, file]) =>
    name === undefined ? entry.secret(basename(file!), `the content of ${file}`) : entry.variable(name),
  );

/** `${env:NAME}` and a few places; VS Code's `${input:ID}` by `input`. */
export const editorLike =
  (input?: (id: string, entry: Entry) => string): Dialect =>
  (text, entry) =>
    translate(text, /\$\{([A-Za-z]+|\/)(?::([^}]+))?\}/g, ([whole, word, name]) => {
      if (word === 'env' && name !== undefined) return entry.variable(name);
      if (word === 'input' && name !== undefined && input !== undefined) return input(name, entry);
      const place = name === undefined ? placeOf(word!, entry) : undefined;
      if (place !== undefined) return literal(place);
      entry.note(`${whole} means nothing outside of the editor: change it in the configuration.`);
      return literal(whole);
    });

function placeOf(word: string, { input, project }: Entry): string | undefined {
  switch (word) {
    case 'userHome':
      return input.home;
    case 'workspaceFolder':
      return project;
    case 'workspaceFolderBasename':
      return project === undefined ? undefined : basename(project);
    case 'pathSeparator':
    case '/':
      return sep;
    default:
      return undefined;
  }
}

/** What the pattern finds is put into our words; all else is taken literally. */
function translate(text: string, pattern: RegExp, say: (match: RegExpExecArray) => string): string {
  let said = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    said += literal(text.slice(at, match.index)) + say(match);
    at = match.index + match[0].length;
  }
  return said + literal(text.slice(at));
}
