import { existsSync, readFileSync } from 'node:fs';
import { win32 } from 'node:path';
import type { SpawnOptions } from '../core/ports.ts';

/**
 * Replaces batch files on Windows. There `npx`, `npm` and programs that npm installed are batch files, which only a shell
 * can run, and a shell reads arguments as commands (CVE-2024-27980). Behind them is `node` and a script.
 */

interface LauncherFiles {
  exists(path: string): boolean;
  read(path: string): string;
}

interface LauncherPlace {
  /** The program that runs Pincer: used as `node` if no other is found. */
  readonly node: string;
  readonly folder: string;
  readonly files: LauncherFiles;
}

/** Why the command cannot be started, as the end of a sentence. */
type Refusal = string;

const PROGRAMS = ['.com', '.exe'];
const BATCH_FILES = ['.bat', '.cmd'];

export function resolveLauncher(options: SpawnOptions, place: LauncherPlace): SpawnOptions | Refusal {
  const found = find(options.command, options, place);
  if (found === undefined) return options;
  if (!BATCH_FILES.includes(extensionOf(found))) return { ...options, command: found };
  const shim = npmItself(found, place.files) ?? readShim(place.files.read(found), win32.dirname(found));
  if (shim === undefined)
    return `"${options.command}" is a batch file (${win32.basename(found)}) that needs a shell, which Pincer does not run; configure the program that it starts, with its arguments`;
  const command = shim.program === 'node' ? nodeFor(found, options, place) : shim.program;
  return { ...options, command, args: [...shim.args, ...options.args] };
}

/** `npm.cmd` and `npx.cmd` ask npm where npm is before they start it. The npm beside them is used instead. */
function npmItself(path: string, files: LauncherFiles): Shim | undefined {
  const { dir, name } = win32.parse(path);
  const script = win32.join(dir, 'node_modules', 'npm', 'bin', `${name.toLowerCase()}-cli.js`);
  return /^np[mx]$/i.test(name) && files.exists(script) ? { program: 'node', args: [script] } : undefined;
}

/** As in the batch file: the `node` beside it, else the one on the search path. */
function nodeFor(shim: string, options: SpawnOptions, place: LauncherPlace): string {
  const beside = win32.join(win32.dirname(shim), 'node.exe');
  if (place.files.exists(beside)) return beside;
  return find('node.exe', options, place) ?? place.node;
}

/** Searches as Windows does, but not in the current folder. */
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

/** The program that a batch file starts. */
interface Shim {
  /** `node` from anywhere, or the path of a program. */
  readonly program: string;
  /** Arguments before the caller's own. */
  readonly args: readonly string[];
}

/** Variables that a batch file may set: they say where the shell finds programs, not which program runs. */
const HARMLESS = new Set(['DP0', '_PROG', 'PATHEXT', 'PATH', 'NODE_PATH']);

/**
 * Reads the batch files that npm, pnpm and yarn put in front of a script on Windows. Returns undefined if the file does
 * anything else.
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

/** Splits a line into words, quoted or not. `&` between two commands is its own word. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/^\s*@/, '').matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

const expand = (word: string, folder: string, program: string): string => {
  const full = word.replace(/^%_prog%$/, program).replace(/^(?:%~dp0|%dp0%)\\?/i, `${folder}\\`);
  return full === word ? word : /[\\/]/.test(full) ? win32.normalize(full) : full;
};

/** `resolveLauncher` for this machine. */
export const launchable = (options: SpawnOptions): SpawnOptions | Refusal =>
  resolveLauncher(options, {
    node: process.execPath,
    folder: process.cwd(),
    files: { exists: existsSync, read: (path) => readFileSync(path, 'utf8') },
  });
