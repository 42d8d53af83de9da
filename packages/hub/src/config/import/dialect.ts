/** Translates the references in a client's strings into those of config.json. */
import { basename, sep } from 'node:path';
import { literal, type Entry } from './entry.ts';

/** Translates one string of an entry. */
export type Dialect = (text: string, entry: Entry) => string;

/** Claude Desktop and Codex have no references, so a dollar sign is literal. */
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

/** `${env:NAME}`, and `${file:PATH}` for the content of a file. */
export const windsurfLike: Dialect = (text, entry) =>
  translate(text, /\$\{(?:env:(\w+)|file:([^}]+))\}/g, ([, name, file]) =>
    name === undefined ? entry.secret(basename(file!), `the content of ${file}`) : entry.variable(name),
  );

/** `${env:NAME}` and a few folders. `input` translates VS Code's `${input:ID}`. */
export const editorLike =
  (input?: (id: string, entry: Entry) => string): Dialect =>
  (text, entry) =>
    translate(text, /\$\{([A-Za-z]+|\/)(?::([^}]+))?\}/g, ([whole, word, name]) => {
      if (word === 'env' && name !== undefined) return entry.variable(name);
      if (word === 'input' && name !== undefined && input !== undefined) return input(name, entry);
      const place = name === undefined ? placeOf(word!, entry) : undefined;
      if (place !== undefined) return literal(place);
      entry.note(`${whole} works only in the editor. Replace it in the configuration.`);
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

/** Replaces each match of the pattern; all other text is literal. */
function translate(text: string, pattern: RegExp, replace: (match: RegExpExecArray) => string): string {
  let translated = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    translated += literal(text.slice(at, match.index)) + replace(match);
    at = match.index + match[0].length;
  }
  return translated + literal(text.slice(at));
}
