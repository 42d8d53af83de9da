import type { CommandSpec, OptionSpec, Values } from './spec.ts';

export function fishScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const lines = commands.flatMap(({ path, commands: inner, options, values }) => {
    const here = `complete -c pincer -n ${quoted(`__pincer_at ${quoted(path)}`)}`;
    return [
      ...inner.map(({ name, summary }) => `${here} -a ${quoted(name)} -d ${quoted(summary)}`),
      ...valueLines(here, values),
      ...options.map((option) => optionLine(here, option)),
    ];
  });
  return `# Completion of pincer for fish. Keep it as ~/.config/fish/completions/pincer.fish
set -g __pincer_paths ${paths.map(quoted).join(' ')}

# Which command is being typed: its words, joined by blanks.
function __pincer_at
    set -l at
    for word in (commandline -opc)[2..]
        test "$word" = --; and return 1
        set -l longer (string join ' ' -- $at $word)
        contains -- $longer $__pincer_paths; and set at $longer
    end
    test "$at" = "$argv[1]"
end

complete -c pincer -f
${lines.join('\n')}
`;
}

function valueLines(here: string, values: Values): string[] {
  const words = wordsOf(values);
  return words === undefined ? [] : [`${here} ${words}`];
}

function optionLine(here: string, { names, summary, values }: OptionSpec): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${quoted(name.slice(2))}` : `-s ${quoted(name.slice(1))}`,
  );
  const takes =
    values === undefined
      ? []
      : [values === 'files' ? '-r' : '-x', ...[wordsOf(values)].filter((each) => each !== undefined)];
  return [here, ...flags, ...takes, '-d', quoted(summary)].join(' ');
}

/** Undefined: nobody can guess it. */
function wordsOf(values: Values): string | undefined {
  if (values === 'files') return '-F';
  if (values === 'folders') return `-a ${quoted('(__fish_complete_directories (commandline -ct))')}`;
  if (typeof values === 'string')
    return `-a ${quoted(`(pincer __complete ${values} (commandline -ct) 2>/dev/null)`)}`;
  return values.length === 0 ? undefined : `-a ${quoted(values.join(' '))}`;
}

/** A word in single quotes, in which a backslash is one too. */
const quoted = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
