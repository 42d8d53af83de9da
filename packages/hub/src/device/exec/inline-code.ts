/** Programs that run code, and where their command lines may hold code or name another program. */
import { programName } from './machine.ts';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Names are in the form of `programName`: `m4` loses its digit like `python3`. */
const programs = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).map(programName));

const SHELLS = programs(
  'sh bash zsh dash ksh mksh ash fish tcsh csh rbash yash nu elvish xonsh rksh rzsh lksh posh sash oksh osh ysh',
);
const POWERSHELLS = programs('powershell pwsh powershell_ise');
/** The first operand is code, unless an option names a file. */
const CODE_FIRST = programs('awk gawk mawk nawk sed gsed jshell');
/** Their files are code, and other arguments may be code, too. */
const CODE_ANYWHERE = programs(
  `deno tclsh wish erl sqlite gdb java jrunscript jjs wscript cscript mshta rundll make gmake cmake ninja meson scons bazel
  rake ant gradle mvn yarn emacs ed red ex view rview rvim vimdiff gvim irb pry ipython bpython phpdbg php-cgi m4 dc
  octave gnuplot racket sbcl clisp swipl ocaml runhaskell tsx ts-node slsh cargo go pip gem bundle bundler erb cpan pydoc
  perldoc prove composer dotnet terraform tofu ansible ansible-playbook puppet ghc cabal stack swift zig dart javac kotlin
  clojure clj lein sbt gjs qjs mongo mongosh redis-cli bpftrace luatex lualatex texlua latexmk context exiftool nix
  nix-shell nix-build ctest cpack autoconf autoheader autom4te automake aclocal autoreconf rename prename file-rename
  perl-rename jdb jexec mvndebug lli llc opt llvm-jitlink bugpoint pdb gdbtui`,
);
/** Letters of options whose value is code, alone or in a cluster such as `-ne`. */
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
/** Long options whose value is code, for any of those programs. */
const CODE_OPTIONS =
  /^--?(?:eval|print|exec|execute|command|init-command|run|process-code|expression|code|call|cmd)(?:=|$)/;
/** Subcommands that run the rest of the line, or code that they download. */
const CODE_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['deno', wordSet('eval repl')],
  ['bun', wordSet('x exec')],
  ['npm', wordSet('exec x explore')],
  ['pnpm', wordSet('exec x dlx')],
  ['yarn', wordSet('exec dlx')],
]);

const isData = (word: string): boolean => /(?:^|=)\s*data:/i.test(word);

/** Whether the files or arguments of a program are code. */
export const runsCode = (name: string): boolean =>
  SHELLS.has(name) ||
  POWERSHELLS.has(name) ||
  name === 'cmd' ||
  CODE_FIRST.has(name) ||
  CODE_ANYWHERE.has(name) ||
  CODE_LETTERS.has(name);

/** Whether the arguments contain code, or name another program to run. `args` excludes the program. */
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

/** Whether the code is in a file: a word before the option, or after `-e`, would itself be code. */
const isCodeFile = ([first = '', ...rest]: readonly string[]): boolean =>
  /^(?:-f|--file(?:=|$))/.test(first) && !rest.some((word) => /^(?:-[a-zE]*[eis]|--[eis])/.test(word));

/**
 * Whether an argument names an interpreter that is followed by code, as in an unknown wrapper, or a program that
 * Chromium would start.
 */
export function namesInlineCode(args: readonly string[]): boolean {
  if (namesLauncher(args)) return true;
  /** Each name is checked once: the words after its first occurrence include those after later ones. */
  const checked = new Set<string>();
  return args.some((word, at) => {
    const name = programName(word);
    if (checked.has(name) || !(SHELLS.has(name) || CODE_LETTERS.has(name))) return false;
    checked.add(name);
    return hasInlineCode(name, args.slice(at + 1));
  });
}

/** PowerShell accepts four characters as the dash of an option, and any prefix of its name. A bare word is a command. */
const isPowershellFile = (args: readonly string[]): boolean =>
  args.some((word) => /^[-/–—―]f(?:i(?:l(?:e)?)?)?:?$/i.test(word)) &&
  !args.some((word) => /^[-/–—―](?:c|e[cn]?\b|en|com|co)/i.test(word));

/** The code of a shell, if it is the last argument. */
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
  // With further arguments the payload alone does not determine what runs.
  return flag >= 0 && args.length === flag + 2 ? args[flag + 1] : undefined;
}

const FLAG = /^[-/–—―]e(?:c|n(?:c(?:o(?:d(?:e(?:d(?:c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?)?)?)?)?)?)?)?$/i;

type EncodedCommand =
  | { readonly payload: string }
  /** The text of the refusal. */
  | { readonly problem: string };

/** Decodes the `-EncodedCommand` of PowerShell. Undefined if there is none. */
export function encodedCommand(argv: readonly string[]): EncodedCommand | undefined {
  if (!/^(?:powershell|pwsh)/.test(programName(argv[0] ?? ''))) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && FLAG.test(word));
  if (at < 0) return undefined;
  const encoded = argv[at + 1] ?? '';
  const isBase64 = encoded !== '' && encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  const bytes = Buffer.from(encoded, 'base64');
  if (!isBase64 || bytes.length % 2 !== 0) return { problem: 'EncodedCommand could not be decoded' };
  const payload = bytes.toString('utf16le').trim();
  return payload === '' ? { problem: 'EncodedCommand decoded to an empty payload' } : { payload };
}

interface RunningOptions {
  /** Letters of short options, alone or in a cluster such as `-xI`. */
  readonly letters?: string;
  /** Long options. Most programs accept any prefix: `--checkpoint-act=…`. */
  readonly long?: readonly string[];
  /** Matches a whole word or its beginning. */
  readonly word?: RegExp;
}

const words = (text: string): readonly string[] => text.split(/\s+/);
const REMOTE_COPY: RunningOptions = { letters: 'SoF' };
const NETCAT: RunningOptions = { letters: 'ec', long: words('exec sh-exec lua-exec') };
const APT: RunningOptions = { letters: 'oc', long: words('option config-file') };
/** `@file` holds further options. */
const COMPILER: RunningOptions = { word: /^(?:-(?:wrapper|fplugin|B|specs|Xclang|load)|@)/, long: ['specs'] };
const BINUTILS: RunningOptions = { long: ['plugin'], word: /^(?:-plugin|@)/ };
const TEX: RunningOptions = { word: /^--?(?:shell-|enable-write18|ini|fmt)/ };
const CONTAINERS: RunningOptions = {
  word: /^(?:run|exec|build|buildx|buildah|compose|create|start|debug|attach|cp|plugin|--(?:kube)?config.*)$/,
};
const SQL_SHELL: RunningOptions = {
  letters: 'e',
  long: words('execute pager init-command plugin-dir defaults-file defaults-extra-file'),
};

/** `homedir`: a folder with settings that name programs. */
const GPG = words('agent-program dirmngr-program keyboxd-program photo-viewer exec-path options homedir');
const OFFICE: RunningOptions = { word: /^(?:macro:|vnd\.sun\.star\.script:|-env:|--?accept)/i };
const DOWNLOADER: RunningOptions = {
  long: words(`exec exec-before-download downloader external-downloader netrc-cmd ffmpeg-location config-locations
    plugin-dirs use-postprocessor`),
};

const PROGRAMS: readonly (readonly [string, RunningOptions])[] = [
  [
    'git',
    {
      long: words(`config-env exec-path upload-pack receive-pack exec open-files-in-pager ext-diff extcmd template
        sendmail-cmd smtp-server env-filter tree-filter index-filter parent-filter msg-filter commit-filter
        tag-name-filter`),
      // Its settings name programs. Single letters do so only for some commands (`gitLetters`).
      word: /^(?:-c|-O|ext::|(?:config|bisect|foreach|filter-branch|difftool|mergetool|instaweb|send-email|daemon|shell|hook|gui|citool|p4|svn|web--browse)$)/,
    },
  ],
  [
    'tar',
    {
      letters: 'IF',
      long: words(`checkpoint-action to-command use-compress-program rsh-command rmt-command info-script
        new-volume-script`),
    },
  ],
  ['rsync', { letters: 'eM', long: words('rsh rsync-path remote-option config dparam') }],
  ['find', { word: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/ }],
  ['fd', { letters: 'xX', long: words('exec exec-batch') }],
  ['fdfind', { letters: 'xX', long: words('exec exec-batch') }],
  ['sort', { long: ['compress-program'] }],
  ['zip', { letters: 'T', long: words('test unzip-command') }],
  ['curl', { letters: 'K', long: ['config'] }],
  ['scp', REMOTE_COPY],
  ['sftp', REMOTE_COPY],
  ['nc', NETCAT],
  ['ncat', NETCAT],
  ['netcat', NETCAT],
  ['socat', { word: /(?:exec|system|shell):/i }],
  ['split', { long: ['filter'] }],
  ['rg', { long: words('pre hostname-bin') }],
  ['wget', { letters: 'e', long: words('use-askpass execute config') }],
  ['psql', { letters: 'cf', long: words('command file') }],
  ...words('apt apt-get apt-cache apt-cdrom apt-mark aptitude').map((name) => [name, APT] as const),
  ['dpkg', { long: words('pre-invoke post-invoke status-logger') }],
  ['dpkg-architecture', { long: ['command'], word: /^-c/ }],
  ...words('gcc g++ cc c++ c89 c99 cpp clang clang++ gfortran').map((name) => [name, COMPILER] as const),
  ...words(
    'ld ld.bfd ld.gold ld.lld gold ar nm ranlib strip objcopy objdump size gcc-ar gcc-nm gcc-ranlib',
  ).map((name) => [name, BINUTILS] as const),
  ...words('tex latex pdftex pdflatex xetex xelatex').map((name) => [name, TEX] as const),
  ...words('docker podman nerdctl kubectl oc').map((name) => [name, CONTAINERS] as const),
  ['mysql', SQL_SHELL],
  ['mariadb', SQL_SHELL],
  ['install', { long: ['strip-program'] }],
  ['ip', { word: /^(?:exec|-b\w*)$/ }],
  ['openssl', { word: /^-(?:engine|provider|config|ssl_config|keyform|dynamic)/ }],
  ['ssh-keygen', { letters: 'Dw' }],
  ['ssh-add', { letters: 'sS' }],
  ['ssh-copy-id', { letters: 'oF' }],
  ['cpio', { letters: 'F', long: words('rsh-command file') }],
  ['tcpdump', { letters: 'z' }],
  ['tshark', { letters: 'X' }],
  ['nmap', { long: words('script datadir') }],
  ['pandoc', { letters: 'FLd', long: words('filter lua-filter defaults pdf-engine data-dir') }],
  ...words('groff troff nroff pic gpic').map((name) => [name, { letters: 'U' }] as const),
  ['less', { letters: 'k', long: words('lesskey-file lesskey-src'), word: /^\+/ }],
  ['rpm', { letters: 'E', long: words('eval pipe define load macros rcfile') }],
  ['aria2c', { word: /^--(?:on-|conf-path)/ }],
  ['certbot', { word: /^--\w+-hook/ }],
  ['go', { word: /^(?:run$|generate$|-exec|-toolexec|-vettool)/ }],
  ['cargo', { long: ['config'] }],
  ['man', { letters: 'PHC', long: words('pager html config-file') }],
  ...words('gpg gpgsm gpgconf').map((name) => [name, { long: GPG }] as const),
  ['gpgtar', { long: words('gpg gpg-args homedir') }],
  ['gpg-connect-agent', { letters: 'Er', long: [...GPG, 'exec', 'run'] }],
  ['diff3', { long: ['diff-program'] }],
  ['sdiff', { long: ['diff-program'] }],
  ['bsdtar', { long: ['use-compress-program'] }],
  ['pgbench', { letters: 'f', long: ['file'] }],
  ['rpcgen', { letters: 'Y' }],
  ['bison', { letters: 'S', long: ['skeleton'] }],
  ['sshfs', { letters: 'oF' }],
  ['systemd-notify', { long: ['exec'] }],
  ['scalar', { word: /^-c/ }],
  ['svn', { long: words('config-option config-dir editor-cmd diff-cmd diff3-cmd') }],
  ['hg', { letters: 'e', long: words('config ssh remotecmd') }],
  ['helm', { word: /^(?:plugin$|--post-renderer|--kubeconfig)/ }],
  ['gh', { word: /^(?:alias|ext|extensions?)$/ }],
  ['nano', { letters: 's', long: ['speller'] }],
  ['mutt', { letters: 'eF' }],
  ['neomutt', { letters: 'eF' }],
  ['fzf', { long: words('bind preview') }],
  ...words('bat batcat delta ag ack').map((name) => [name, { long: ['pager'] }] as const),
  ['yt-dlp', DOWNLOADER],
  ['youtube-dl', DOWNLOADER],
  ['mpv', { word: /^--?(?:script|config-dir|include|input-)/ }],
  ['feh', { letters: 'A', word: /^--(?:act|info)/ }],
  ['gimp', { letters: 'b', long: words('batch batch-interpreter') }],
  ['gimp-console', { letters: 'b', long: words('batch batch-interpreter') }],
  ['blender', { word: /^(?:-[Pyc]|--(?:python|enable-autoexec|addons|command))/ }],
  ...words('libreoffice soffice localc lowriter loimpress lodraw').map((name) => [name, OFFICE] as const),
];

/** Keys are in the form of `programName`: `c89` is `c`. */
const RUNS_BY_OPTION: ReadonlyMap<string, RunningOptions> = new Map(
  PROGRAMS.map(([name, options]) => [programName(name), options]),
);

/** Switches of Chromium. They are checked for every program, because any program may be built on it. It trims its arguments. */
const LAUNCHER =
  /^\s*(?:--?|\/)(?:(?:renderer|utility|zygote)-cmd-prefix|(?:gpu|plugin|ppapi-plugin)-launcher|browser-subprocess-path|nacl-gdb)/i;

const namesLauncher = (args: readonly string[]): boolean => args.some((word) => LAUNCHER.test(word));

const hasRunningOptions = (name: string): boolean => RUNS_BY_OPTION.has(name);

/** `args` excludes the program. */
function namesWhatToRun(name: string, args: readonly string[]): boolean {
  const { letters = '', long = [], word: begins } = RUNS_BY_OPTION.get(name) ?? {};
  const all = name === 'git' ? gitLetters(args) : letters;
  return args.some((word, at) => {
    if (begins?.test(word)) return true;
    const option = /^--([^=]+)/.exec(word)?.[1];
    if (option !== undefined) return long.some((each) => each.startsWith(option));
    // The first word of `tar xIf` is a cluster without its dash.
    const cluster = name === 'tar' && at === 0 ? word.replace(/^(?!-)/, '-') : word;
    return hasLetter(cluster, all);
  });
}

/** `-u` means --upload-pack in `git clone`, `-x` means --exec in `git rebase`. */
const gitLetters = (args: readonly string[]): string =>
  `${args.includes('clone') ? 'u' : ''}${args.includes('rebase') ? 'x' : ''}`;

/** Whether a word is a short option or a cluster with one of these letters. */
const hasLetter = (word: string, letters: string): boolean =>
  /^-[A-Za-z0-9]/.test(word) && letters.split('').some((letter) => word.includes(letter, 1));
