/** Ordinary programs with options, or words, that name something to run. */
import { programName } from './program-name.ts';

interface RunningOptions {
  /** Letters of short options, alone or in a cluster such as `-xI`. */
  readonly letters?: string;
  /** Long options, which most programs take by any beginning: `--checkpoint-act=…`. */
  readonly long?: readonly string[];
  /** What a word begins with, or is. */
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

/** A folder of its own holds settings that name programs. */
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
      // Its settings name programs; single letters mean that after some of its commands only (`gitLetters`).
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

/** As names of files are read: `c89` is a `c`. */
const RUNS_BY_OPTION: ReadonlyMap<string, RunningOptions> = new Map(
  PROGRAMS.map(([name, options]) => [programName(name), options]),
);

/** Switches of Chromium, which every program has that is built on it: nobody has a list of those. It trims its arguments. */
const LAUNCHER =
  /^\s*(?:--?|\/)(?:(?:renderer|utility|zygote)-cmd-prefix|(?:gpu|plugin|ppapi-plugin)-launcher|browser-subprocess-path|nacl-gdb)/i;

export const namesLauncher = (args: readonly string[]): boolean => args.some((word) => LAUNCHER.test(word));

export const hasRunningOptions = (name: string): boolean => RUNS_BY_OPTION.has(name);

/** `args` without the program. */
export function namesWhatToRun(name: string, args: readonly string[]): boolean {
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

/** `-u` is short for --upload-pack where something is cloned, `-x` for --exec where something is rebased. */
const gitLetters = (args: readonly string[]): string =>
  `${args.includes('clone') ? 'u' : ''}${args.includes('rebase') ? 'x' : ''}`;

/** Whether a word is a short option, or several in one, with one of these letters. */
export const hasLetter = (word: string, letters: string): boolean =>
  /^-[A-Za-z0-9]/.test(word) && letters.split('').some((letter) => word.includes(letter, 1));
