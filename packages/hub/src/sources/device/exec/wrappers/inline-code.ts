/** Programs that run code, and where on their command line that code itself may be. */
import { programName } from './program-name.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const SHELLS = words('sh bash zsh dash ksh mksh ash fish tcsh csh rbash yash nu elvish xonsh');
const POWERSHELLS = words('powershell pwsh powershell_ise');
/** Their first operand is the code, unless a file is named. */
const CODE_FIRST = words('awk gawk mawk nawk sed gsed jshell');
/** Letters that say that the next word is code, alone or in a cluster such as `-ne`. */
const CODE_LETTERS: ReadonlyMap<string, string> = new Map([
  ['python', 'c'],
  ['pypy', 'c'],
  ['perl', 'eE'],
  ['ruby', 'e'],
  ['node', 'ep'],
  ['nodejs', 'ep'],
  ['bun', 'ep'],
  ['deno', ''],
  ['php', 'rBRE'],
  ['lua', 'e'],
  ['luajit', 'e'],
  ['rscript', 'e'],
  ['r', 'e'],
  ['osascript', 'e'],
  ['julia', 'eE'],
  ['groovy', 'e'],
  ['scala', 'e'],
  ['tclsh', ''],
  ['expect', 'c'],
  ['ghci', 'e'],
  ['runghc', 'e'],
  ['elixir', 'e'],
  ['erl', ''],
  ['guile', 'c'],
  ['sqlite', ''],
  ['gdb', ''],
  ['java', ''],
  ['wscript', ''],
  ['cscript', ''],
  ['mshta', ''],
  ['rundll', ''],
  ['make', ''],
  ['gmake', ''],
  ['npm', 'c'],
  ['pnpm', 'c'],
  ['yarn', ''],
  ['just', 'c'],
  ['vim', 'cS'],
  ['vi', 'cS'],
  ['nvim', 'cS'],
  ['emacs', ''],
]);
/** Long options with code behind them, at any of those programs. */
const CODE_OPTIONS =
  /^--?(?:eval|print|exec|execute|command|init-command|run|process-code|expression|code|call|cmd)(?:=|$)/;
/** Words that make a program run what is on the rest of its line, or what it fetches. */
const CODE_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['deno', words('eval repl')],
  ['bun', words('x exec')],
  ['npm', words('exec x explore')],
  ['pnpm', words('exec x dlx')],
  ['yarn', words('exec dlx')],
]);
/** Ordinary programs with options that name something to run. */
const RUNS_BY_OPTION: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:-c|-c.+|--config-env(?:=.*)?|--exec-path=.*|--upload-pack(?:=.*)?|--receive-pack(?:=.*)?|--exec(?:=.*)?|-x|--open-files-in-pager(?:=.*)?|-O.*|--ext-diff|ext::.*)$/,
  ],
  [
    'tar',
    /^(?:--checkpoint-action(?:=.*)?|--to-command(?:=.*)?|--use-compress-program(?:=.*)?|-I.*|--rsh-command(?:=.*)?|-F.*|--info-script(?:=.*)?|--new-volume-script(?:=.*)?)$/,
  ],
  ['rsync', /^(?:-[a-zA-Z]*e.*|--rsh(?:=.*)?|--rsync-path(?:=.*)?)$/],
  ['find', /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/],
  ['fd', /^(?:-x|-X|--exec|--exec-batch)/],
  ['sort', /^--compress-program/],
  ['zip', /^(?:-T.*|-TT.*|--unzip-command.*)$/],
  ['curl', /^(?:-K|--config)/],
  ['scp', /^(?:-S.*|-o.*)$/],
  ['sftp', /^(?:-S.*|-o.*)$/],
  ['nc', /^(?:-\w*[ec].*|--exec.*|--sh-exec.*|--lua-exec.*)$/],
  ['ncat', /^(?:-\w*[ec].*|--exec.*|--sh-exec.*|--lua-exec.*)$/],
  ['netcat', /^(?:-\w*[ec].*|--exec.*)$/],
  ['socat', /(?:exec|system|shell):/i],
  ['split', /^--filter/],
  ['rg', /^--(?:pre|hostname-bin)(?:=|$)/],
  ['wget', /^(?:--use-askpass|-e$|--execute)/],
  ['psql', /^(?:-c|-f|--command|--file)/],
  ['apt-get', /^(?:-o|--option|-c|--config-file)/],
  ['apt', /^(?:-o|--option|-c|--config-file)/],
  ['go', /^(?:run|generate|-exec.*|-toolexec.*)$/],
  ['cargo', /^(?:--config.*)$/],
  ['man', /^(?:-P|--pager|-H|--html)/],
]);

const hasLetter = (word: string, letters: string): boolean =>
  /^-[A-Za-z0-9]/.test(word) && letters.split('').some((letter) => word.includes(letter, 1));

const isData = (word: string): boolean => /(?:^|=)\s*data:/i.test(word);

/** Whether a program is one whose files and arguments are code. */
export const runsCode = (name: string): boolean =>
  SHELLS.has(name) ||
  POWERSHELLS.has(name) ||
  name === 'cmd' ||
  CODE_FIRST.has(name) ||
  CODE_LETTERS.has(name);

/** Whether the command line itself holds code, or names what else to run. `args` without the program. */
export function hasInlineCode(name: string, args: readonly string[]): boolean {
  if (RUNS_BY_OPTION.has(name)) return args.some((word) => RUNS_BY_OPTION.get(name)!.test(word));
  if (!runsCode(name)) return false;
  if (name === 'cmd') return true;
  if (POWERSHELLS.has(name)) return !isPowershellFile(args);
  if (CODE_FIRST.has(name)) return !args.some((word) => /^(?:-f|--file(?:=|$))/.test(word));
  if (args.some((word) => word === '-' || isData(word) || CODE_OPTIONS.test(word))) return true;
  if (SHELLS.has(name)) return args.some((word) => hasLetter(word, 'cCs'));
  if (args.some((word) => CODE_WORDS.get(name)?.has(word))) return true;
  return args.some((word) => hasLetter(word, CODE_LETTERS.get(name) ?? ''));
}

/** Whether somewhere on the line an interpreter is named with code behind it: a wrapper that nobody has heard of. */
export const namesInlineCode = (args: readonly string[]): boolean =>
  args.some((word, at) => {
    const name = programName(word);
    const isKnown = SHELLS.has(name) || (CODE_LETTERS.get(name) ?? '') !== '';
    return isKnown && hasInlineCode(name, args.slice(at + 1));
  });

/** Windows takes four signs for an option's dash, and each beginning of its name; a bare word is a command, too. */
const isPowershellFile = (args: readonly string[]): boolean =>
  args.some((word) => /^[-/–—―]f(?:i(?:l(?:e)?)?)?:?$/i.test(word)) &&
  !args.some((word) => /^[-/–—―](?:c|e[cn]?\b|en|com|co)/i.test(word));

/** What a shell is given to run, where that is all that the command line is for. */
export function inlinePayload(argv: readonly string[]): string | undefined {
  const name = programName(argv[0] ?? '');
  const args = argv.slice(1);
  const flag = args.findIndex((word) =>
    name === 'cmd'
      ? /^\/[ck]$/i.test(word)
      : POWERSHELLS.has(name)
        ? /^[-/–—―]c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?$/i.test(word)
        : SHELLS.has(name) && hasLetter(word, 'c'),
  );
  // With more behind it, the payload alone does not say what runs.
  return flag >= 0 && args.length === flag + 2 ? args[flag + 1] : undefined;
}
