/** Ordinary programs with options, or words, that name something to run. */
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

const RUNS_BY_OPTION: ReadonlyMap<string, RunningOptions> = new Map<string, RunningOptions>([
  [
    'git',
    {
      long: words(`config-env exec-path upload-pack receive-pack exec open-files-in-pager ext-diff extcmd template
        sendmail-cmd smtp-server env-filter tree-filter index-filter parent-filter msg-filter commit-filter
        tag-name-filter`),
      // Its settings name programs; `-u` is short for --upload-pack where something is cloned.
      word: /^(?:-c|-x$|-O|ext::|(?:config|bisect|foreach|filter-branch|difftool|mergetool|instaweb|send-email)$)/,
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
  ['apt-get', APT],
  ['apt', APT],
  ['dpkg', { long: words('pre-invoke post-invoke status-logger') }],
  ['gcc', { word: /^-(?:wrapper|fplugin|B)/ }],
  ['g++', { word: /^-(?:wrapper|fplugin|B)/ }],
  ['go', { word: /^(?:run$|generate$|-exec|-toolexec|-vettool)/ }],
  ['cargo', { long: ['config'] }],
  ['man', { letters: 'PHC', long: words('pager html config-file') }],
]);

export const hasRunningOptions = (name: string): boolean => RUNS_BY_OPTION.has(name);

/** `args` without the program. */
export function namesWhatToRun(name: string, args: readonly string[]): boolean {
  const { letters = '', long = [], word: begins } = RUNS_BY_OPTION.get(name) ?? {};
  const isCloning = name === 'git' && args.includes('clone');
  return args.some((word, at) => {
    if (begins?.test(word)) return true;
    const option = /^--([^=]+)/.exec(word)?.[1];
    if (option !== undefined) return long.some((each) => each.startsWith(option));
    // The first word of `tar xIf` is a cluster without its dash.
    const cluster = name === 'tar' && at === 0 ? word.replace(/^(?!-)/, '-') : word;
    return hasLetter(cluster, isCloning ? `${letters}u` : letters);
  });
}

/** Whether a word is a short option, or several in one, with one of these letters. */
export const hasLetter = (word: string, letters: string): boolean =>
  /^-[A-Za-z0-9]/.test(word) && letters.split('').some((letter) => word.includes(letter, 1));
