/**
 * What to start on Windows in place of a batch file. `npx`, `npm` and whatever npm installs are batch files there, which
 * only a shell can run, and a shell reads arguments as commands (CVE-2024-27980). Behind them is `node` and a script.
 */
import { win32 } from 'node:path';
import type { SpawnOptions } from '../core/ports.ts';

export interface LauncherFiles {
  exists(path: string): boolean;
  read(path: string): string;
}

export interface LauncherPlace {
  /** The program that runs Pincer: `node`, where no other is found. */
  readonly node: string;
  readonly folder: string;
  readonly files: LauncherFiles;
}

/** Why it cannot be started, as the end of a sentence. */
export type Refusal = string;

const PROGRAMS = ['.com', '.exe'];
const BATCH_FILES = ['.bat', '.cmd'];

export function resolveLauncher(options: SpawnOptions, place: LauncherPlace): SpawnOptions | Refusal {
  const found = find(options.command, options, place);
  if (found === undefined) return options;
  if (!BATCH_FILES.includes(extensionOf(found))) return { ...options, command: found };
  const shim = npmItself(found, place.files) ?? readShim(place.files.read(found), win32.dirname(found));
  if (shim === undefined)
    return `"${options.command}" is a batch file (${win32.basename(found)}) that needs a shell, and Pincer runs none; name the program that it starts, with its arguments`;
  const command = shim.program === 'node' ? nodeFor(found, options, place) : shim.program;
  return { ...options, command, args: [...shim.args, ...options.args] };
}

/** `npm.cmd` and `npx.cmd` ask npm where npm is before they start it; the one beside them will do. */
function npmItself(path: string, files: LauncherFiles): Shim | undefined {
  const { dir, name } = win32.parse(path);
  const script = win32.join(dir, 'node_modules', 'npm', 'bin', `${name.toLowerCase()}-cli.js`);
  return /^np[mx]$/i.test(name) && files.exists(script) ? { program: 'node', args: [script] } : undefined;
}

/** As the batch file has it: the one beside it, else that of the search path. */
function nodeFor(shim: string, options: SpawnOptions, place: LauncherPlace): string {
  const beside = win32.join(win32.dirname(shim), 'node.exe');
  if (place.files.exists(beside)) return beside;
  return find('node.exe', options, place) ?? place.node;
}

/** As Windows looks for it, the folder that one happens to be in excepted. */
function find(command: string, { cwd, env }: SpawnOptions, place: LauncherPlace): string | undefined {
  const folders = /[\\/:]/.test(command)
    ? [win32.resolve(place.folder, cwd ?? '.')]
    : valueOf(env, 'PATH')
        .split(';')
        .map((folder) => folder.replaceAll('"', ''))
        .filter((folder) => folder !== '');
  const known = [...PROGRAMS, ...BATCH_FILES];
  const listed = valueOf(env, 'PATHEXT')
    .toLowerCase()
    .split(';')
    .filter((each) => known.includes(each));
  const endings = known.includes(extensionOf(command)) ? [''] : listed.length > 0 ? listed : known;
  return folders
    .flatMap((folder) => endings.map((ending) => win32.resolve(folder, command + ending)))
    .find((path) => place.files.exists(path));
}

const extensionOf = (path: string): string => win32.extname(path).toLowerCase();

const valueOf = (env: SpawnOptions['env'], wanted: string): string =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1] ?? '';

/** What such a file would start. */
interface Shim {
  /** `node`, wherever that is, or the path of a program. */
  readonly program: string;
  /** What comes before the caller's own arguments. */
  readonly args: readonly string[];
}

/** Variables that it may set and that make no difference here: where the shell finds programs, not which one it is. */
const HARMLESS = new Set(['DP0', '_PROG', 'PATHEXT', 'PATH', 'NODE_PATH']);

/**
 * Reads the batch files that npm, pnpm and yarn put in front of a script on Windows. Pure. Undefined: the file
 * does anything else, and only a shell could tell what.
 */
function readShim(text: string, folder: string): Shim | undefined {
  const settings = [...text.matchAll(/^\W*SET\s+"?([^=\s"]+)=([^"\r\n]*)/gim)];
  if (settings.some(([, name = '']) => !HARMLESS.has(name.toUpperCase()))) return undefined;
  const own = settings.filter(([, name]) => name === '_prog').at(-1)?.[2];
  const line = text.split(/\r?\n/).findLast((each) => /%\*\s*$/.test(each));
  const words = wordsOf(line ?? '');
  const [program, ...args] = words
    .slice(words.lastIndexOf('&') + 1, -1)
    .map((word) => expand(word, folder, own ?? ''));
  if (program === undefined || [program, ...args].some((word) => /[%!^&|<>]/.test(word))) return undefined;
  if (/(?:^|[\\/])node(?:\.exe)?$/i.test(program) && !win32.isAbsolute(program))
    return { program: 'node', args };
  return /\.exe$/i.test(program) && win32.isAbsolute(program) ? { program, args } : undefined;
}

/** Quoted or not; `&` between two commands is a word of its own. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/^\s*@/, '').matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

const expand = (word: string, folder: string, program: string): string => {
  const full = word.replace(/^%_prog%$/, program).replace(/^(?:%~dp0|%dp0%)\\?/i, `${folder}\\`);
  return full === word ? word : /[\\/]/.test(full) ? win32.normalize(full) : full;
};
