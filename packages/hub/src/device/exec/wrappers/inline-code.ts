/** Programs that run code, and where on their command line that code itself may be. */
import { programName } from './program-name.ts';
import { hasLetter, hasRunningOptions, namesLauncher, namesWhatToRun } from './running-options.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** As programs are known: `m4` loses its digit like `python3`. */
const programs = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).map(programName));

const SHELLS = programs(
  'sh bash zsh dash ksh mksh ash fish tcsh csh rbash yash nu elvish xonsh rksh rzsh lksh posh sash oksh osh ysh',
);
const POWERSHELLS = programs('powershell pwsh powershell_ise');
/** Their first operand is the code, unless a file is named. */
const CODE_FIRST = programs('awk gawk mawk nawk sed gsed jshell');
/** Their files are code, and what else is on their lines may be, in ways of their own. */
const CODE_ANYWHERE = programs(
  `deno tclsh wish erl sqlite gdb java jrunscript jjs wscript cscript mshta rundll make gmake cmake ninja meson scons bazel
  rake ant gradle mvn yarn emacs ed red ex view rview rvim vimdiff gvim irb pry ipython bpython phpdbg php-cgi m4 dc
  octave gnuplot racket sbcl clisp swipl ocaml runhaskell tsx ts-node slsh cargo go pip gem bundle bundler erb cpan pydoc
  perldoc prove composer dotnet terraform tofu ansible ansible-playbook puppet ghc cabal stack swift zig dart javac kotlin
  clojure clj lein sbt gjs qjs mongo mongosh redis-cli bpftrace luatex lualatex texlua latexmk context exiftool nix
  nix-shell nix-build ctest cpack autoconf autoheader autom4te automake aclocal autoreconf rename prename file-rename
  perl-rename jdb jexec mvndebug lli llc opt llvm-jitlink bugpoint pdb gdbtui`,
);
/** Letters that say that the next word is code, alone or in a cluster such as `-ne`. */
const CODE_LETTERS: ReadonlyMap<string, string> = new Map([
  ['python', 'c'],
  ['pypy', 'c'],
  ['perl', 'eE'],
  ['ruby', 'e'],
  ['node', 'ep'],
  ['nodejs', 'ep'],
  ['bun', 'ep'],
  ['php', 'rBRE'],
  ['lua', 'e'],
  ['luajit', 'e'],
  ['rscript', 'e'],
  ['r', 'e'],
  ['osascript', 'e'],
  ['julia', 'eE'],
  ['groovy', 'e'],
  ['scala', 'e'],
  ['expect', 'c'],
  ['ghci', 'e'],
  ['runghc', 'e'],
  ['elixir', 'e'],
  ['guile', 'c'],
  ['npm', 'c'],
  ['pnpm', 'c'],
  ['just', 'c'],
  ['vim', 'cS'],
  ['vi', 'cS'],
  ['nvim', 'cS'],
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

const isData = (word: string): boolean => /(?:^|=)\s*data:/i.test(word);

/** Whether a program is one whose files and arguments are code. */
export const runsCode = (name: string): boolean =>
  SHELLS.has(name) ||
  POWERSHELLS.has(name) ||
  name === 'cmd' ||
  CODE_FIRST.has(name) ||
  CODE_ANYWHERE.has(name) ||
  CODE_LETTERS.has(name);

/** Whether the command line itself holds code, or names what else to run. `args` without the program. */
export function hasInlineCode(name: string, args: readonly string[]): boolean {
  if (hasRunningOptions(name)) return namesWhatToRun(name, args);
  if (!runsCode(name)) return false;
  if (name === 'cmd') return true;
  if (POWERSHELLS.has(name)) return !isPowershellFile(args);
  if (CODE_FIRST.has(name)) return !isCodeFile(args);
  if (args.some((word) => word === '-' || isData(word) || CODE_OPTIONS.test(word))) return true;
  if (SHELLS.has(name)) return args.some((word) => hasLetter(word, 'cCs'));
  if (args.some((word) => CODE_WORDS.get(name)?.has(word))) return true;
  return args.some((word) => hasLetter(word, CODE_LETTERS.get(name) ?? ''));
}

/** Nothing but a file is named as the code: what stands before that, or behind `-e`, would be code itself. */
const isCodeFile = ([first = '', ...rest]: readonly string[]): boolean =>
  /^(?:-f|--file(?:=|$))/.test(first) && !rest.some((word) => /^(?:-[a-zE]*[eis]|--[eis])/.test(word));

/**
 * Whether somewhere on the line an interpreter is named with code behind it: a wrapper that nobody has heard of. Or what
 * Chromium is to start its parts with.
 */
export function namesInlineCode(args: readonly string[]): boolean {
  if (namesLauncher(args)) return true;
  /** Each name is checked once: the words after its first place include those after later ones. */
  const looked = new Set<string>();
  return args.some((word, at) => {
    const name = programName(word);
    if (looked.has(name) || !(SHELLS.has(name) || CODE_LETTERS.has(name))) return false;
    looked.add(name);
    return hasInlineCode(name, args.slice(at + 1));
  });
}

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
