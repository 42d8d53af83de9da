/** Finds the programs that a command line starts, also behind wrappers such as `env` and `nice`. */
import { type Executable, programNames, programName } from './machine.ts';
import { hasInlineCode, namesInlineCode, runsCode } from './inline-code.ts';

/** Maximum depth of nested wrappers. */
const MAX_DEPTH = 8;

export interface Link {
  readonly argv: readonly string[];
  readonly executable: Executable;
  /** All names of the program (`programNames`). */
  readonly names: ReadonlySet<string>;
  /** Its arguments are code or name code, so an entry for its path alone is not enough. */
  readonly runsCode: boolean;
}

export interface Chain {
  /** The program itself, then the programs that it starts. */
  readonly links: readonly Link[];
  /** It may start other programs than the links, so no entry fits. */
  readonly isOpaque: boolean;
}

export function chainOf(
  argv: readonly string[],
  executable: Executable,
  find: (word: string) => Executable | undefined,
): Chain {
  const links: Link[] = [];
  let rest = argv;
  let current: Executable | undefined = executable;
  while (current !== undefined && links.length < MAX_DEPTH) {
    const names = programNames(current.found, current.path);
    const args = rest.slice(1);
    links.push({ argv: rest, executable: current, names, runsCode: [...names].some(runsCode) });
    if ([...names].some((name) => hasInlineCode(name, args))) return { links, isOpaque: true };
    const unwrapped = unwrap(names, rest);
    if (unwrapped.kind !== 'through')
      return { links, isOpaque: unwrapped.kind === 'opaque' || namesInlineCode(args) };
    rest = rest.slice(unwrapped.at);
    current = find(rest[0]!);
  }
  return { links, isOpaque: true };
}

/**
 * `plain`: not a wrapper. `through`: the words from `at` on are another command. `opaque`: its command line does not
 * determine what it starts.
 */
type Unwrapped =
  | { readonly kind: 'plain' }
  | { readonly kind: 'through'; readonly at: number }
  | { readonly kind: 'opaque' };

interface Wrapper {
  /** Options without a value, or with the value in the same word. */
  readonly flag: RegExp;
  /** Options whose value is the next word. */
  readonly valued: RegExp;
  /** Words before the command. */
  readonly operands: number;
}

const NEVER = /(?!)/;

/** Any other option makes the wrapper opaque. */
const SEE_THROUGH: ReadonlyMap<string, Wrapper> = new Map([
  // No options: -S splits a word into a command, -C changes the folder, and -i and -u change the PATH.
  ['env', { flag: NEVER, valued: NEVER, operands: 0 }],
  ['nice', { flag: /^(?:-n?-?\d+|--adjustment=-?\d+)$/, valued: /^(?:-n|--adjustment)$/, operands: 0 }],
  ['nohup', { flag: NEVER, valued: NEVER, operands: 0 }],
  [
    'timeout',
    {
      flag: /^(?:-v|--verbose|-f|--foreground|-p|--preserve-status|-[ks].+|--(?:kill-after|signal)=.+)$/,
      valued: /^(?:-k|-s|--kill-after|--signal)$/,
      operands: 1,
    },
  ],
  [
    'stdbuf',
    {
      flag: /^(?:-[ioe].+|--(?:input|output|error)=.+)$/,
      valued: /^(?:-[ioe]|--(?:input|output|error))$/,
      operands: 0,
    },
  ],
  [
    'ionice',
    {
      flag: /^(?:-t|--ignore|-[cn]\d+|--class(?:data)?=\w+)$/,
      valued: /^(?:-c|-n|--class|--classdata)$/,
      operands: 0,
    },
  ],
  ['time', { flag: /^-p$/, valued: NEVER, operands: 0 }],
  ['caffeinate', { flag: /^-[dimsu]+$/, valued: /^-t$/, operands: 0 }],
]);

/** Programs that start a command which is not on their command line, on another machine, or with other privileges. */
const OPAQUE: ReadonlySet<string> = new Set(
  `sudo doas su runuser setpriv pkexec run0 gosu chroot unshare nsenter bwrap firejail proot fakeroot setarch linux32
  linux64 setsid daemonize start-stop-daemon systemd-run at batch crontab xargs parallel rush watch entr script expect
  unbuffer flock busybox toybox coreutils strace ltrace perf gdb valgrind rr ssh sshpass mosh dbus-run-session xvfb-run
  npx pnpx bunx uvx pipx corepack dlx uv poetry pipenv conda direnv dotenv cross-env concurrently nodemon screen tmux
  command exec eval builtin winpty wsl start forfiles msiexec regsvr rundll schtasks wmic psexec runas conhost
  ssh-agent choom sg newgrp systemd-inhibit systemd-nspawn systemd-cat run-parts prove rlwrap cpulimit catchsegv chpst
  setlock envdir envuidgid multitime grc torify torsocks tsocks proxychains pexec eatmydata fakechroot faketime cgexec
  aa-exec capsh distcc ccache sem chronic lckdo dtach abduco dumb-init tini su-exec hyperfine dbus-launch
  gnome-session-inhibit sudoedit sudo-rs machinectl nsjail wine mpirun srun pssh pdsh trickle logrotate
  xterm gnome-terminal konsole open xdg-open gio gtk-launch osascript launchctl systemctl service
  chrt taskset numactl prlimit softlimit logsave ldd msgfilter msgexec lftp run-mailcap see sensible-browser
  sensible-editor sensible-pager x-www-browser xdotool ydotool wtype dbus-send gdbus busctl qdbus kdialog flatpak snap
  apptainer singularity vagrant runcon uclampset systemd-socket-activate deb-systemd-invoke debconf debconf-apt-progress
  dpkg-buildpackage debuild libtool sotruss memusage heaptrack gprofng gp-collect-app valgrind.bin not scriptlive luit
  gpg-agent git-shell ssh-argv0 autossh openvpn pg_virtualenv pg_buildext gapplication exo-open kde-open kioclient kstart
  gvfs-open mimeopen dex i3-msg swaymsg hyprctl awesome-client xinit startx x-terminal-emulator uxterm lxterm
  xfce4-terminal lxterminal mate-terminal qterminal terminator tilix terminology kitty alacritty foot urxvt rxvt wezterm kgx
  ptyxis byobu zellij ifne pee mispipe zrun vipe vidir watchexec`
    .split(/\s+/)
    .map(programName),
);

/** The dynamic loader (`ld-linux-x86-64.so.2`) starts the program that it is given. */
const isOpaque = (name: string): boolean => OPAQUE.has(name) || /^ld(?:-|\.so)/.test(name);

export const startsOthers = (name: string): boolean => isOpaque(name) || SEE_THROUGH.has(name);

/** `names`: all names of the program. `argv` includes the program. */
function unwrap(names: ReadonlySet<string>, argv: readonly string[]): Unwrapped {
  if ([...names].some(isOpaque)) return { kind: 'opaque' };
  const wrappers = [...names].flatMap((name) => SEE_THROUGH.get(name) ?? []);
  const [wrapper] = wrappers;
  if (wrapper === undefined) return { kind: 'plain' };
  if (wrappers.length > 1 && wrappers[1] !== wrapper) return { kind: 'opaque' };
  const at = commandAt(wrapper, argv);
  const first = at === undefined ? undefined : argv[at];
  // Variables before the command change what it does (`env A=b program`).
  if (at === undefined || first === undefined || first === '' || first.includes('='))
    return { kind: 'opaque' };
  return { kind: 'through', at };
}

/** The index of the command. Undefined if there is an unknown option. */
function commandAt({ flag, valued, operands }: Wrapper, argv: readonly string[]): number | undefined {
  let at = 1;
  for (; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') {
      at += 1;
      break;
    }
    if (valued.test(word)) at += 1;
    else if (!flag.test(word)) {
      if (word.startsWith('-')) return undefined;
      break;
    }
  }
  return at + operands;
}
