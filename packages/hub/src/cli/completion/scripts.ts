/** The completion script of each shell. All of them get names from `pincer __complete`. */
import type { Completions } from '../command.ts';
import type { CommandSpec, OptionSpec } from './spec.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word in single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Needs only bash 3.2. `compgen -W` evaluates its words, so it gets only words from this program, never server names. */
export function bashScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const cases = commands.map(
    ({ path, commands: inner, options, values }) =>
      `    ${quoted(path)}) words=${quoted(inner.map(({ name }) => name).join(' '))} options=${quoted(
        options.flatMap(({ names }) => names).join(' '),
      )} ${bashValuesText(values)} ;;`,
  );
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [
            `    ${names.map((name) => quoted(`${path} ${name}`)).join('|')}) words='' options='' kind='' ${bashValuesText(values)} ;;`,
          ],
    ),
  );
  return `# Completion of pincer for bash. Save it where bash looks for completions:
#   pincer completion bash > ~/.local/share/bash-completion/completions/pincer
_pincer() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at='' words='' options='' kind='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == -- ]] && { COMPREPLY=($(compgen -f -- "$current")); return; }
    case "\${at:+$at }$word" in
      ${paths.map(quoted).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  case "$at $previous" in
${valued.join('\n')}
  esac
  COMPREPLY=()
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
  case "$kind" in
    files) COMPREPLY=($(compgen -f -- "$current")) ;;
    folders) COMPREPLY=($(compgen -d -- "$current")) ;;
    '') COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *)
      while IFS= read -r word; do
        [[ $word == "$current"* ]] && COMPREPLY+=("$word")
      done < <(pincer __complete "$kind" "$current" 2>/dev/null)
      # A tool follows the dot of a server, so no space is added.
      [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *. ]] && compopt -o nospace 2>/dev/null
      ;;
  esac
}
complete -F _pincer pincer
`;
}

const bashValuesText = (values: Completions): string =>
  typeof values === 'string'
    ? `kind=${values}`
    : values.length === 0
      ? ''
      : `words=${quoted(values.join(' '))}`;

export function zshScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const cases = commands.map(
    ({ path, commands: inner, options, values }) =>
      `    ${quoted(path)})
      entries=(${inner.map(({ name, summary }) => zshDescribed(name, summary)).join(' ')})
      options=(${options.flatMap(({ names, summary }) => names.map((name) => zshDescribed(name, summary))).join(' ')})
      ${zshValuesText(values)} ;;`,
  );
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [
            `    ${names.map((name) => quoted(`${path} ${name}`)).join('|')}) entries=() options=() kind=''; ${zshValuesText(values)} ;;`,
          ],
    ),
  );
  return `#compdef pincer
# Completion of pincer for zsh. Save it in a folder of your fpath:
#   pincer completion zsh > ~/.zfunc/_pincer
_pincer() {
  local at='' kind='' word index
  local -a entries options names
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    [[ $word == -- ]] && { _files; return }
    case "\${at:+$at }$word" in
      (${paths.map(quoted).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n').replaceAll(/^ {4}'/gm, "    ('")}
  esac
  case "$at \${words[CURRENT-1]}" in
${valued.join('\n').replaceAll(/^ {4}'/gm, "    ('")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
    return
  fi
  case "$kind" in
    (files) _files ;;
    (folders) _files -/ ;;
    ('') _describe command entries ;;
    (*)
      names=(\${(f)"$(pincer __complete "$kind" "\${words[CURRENT]}" 2>/dev/null)"})
      # A tool follows the dot of a server, so no space is added.
      compadd -S '' -- \${(M)names:#*.}
      compadd -- \${names:#*.}
      ;;
  esac
}
if [[ \${funcstack[1]} == _pincer ]]; then _pincer "$@"; else compdef _pincer pincer; fi
`;
}

/** A colon separates the word and its description. */
const zshDescribed = (name: string, summary: string): string =>
  quoted(`${name.replaceAll(':', String.raw`\:`)}:${summary}`);

const zshValuesText = (values: Completions): string =>
  typeof values === 'string'
    ? `kind=${values}`
    : values.length === 0
      ? ''
      : `entries=(${values.map(quoted).join(' ')})`;

export function fishScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const lines = commands.flatMap(({ path, commands: inner, options, values }) => {
    const here = `complete -c pincer -n ${fishQuoted(`__pincer_at ${fishQuoted(path)}`)}`;
    return [
      ...inner.map(({ name, summary }) => `${here} -a ${fishQuoted(name)} -d ${fishQuoted(summary)}`),
      ...fishValueLines(here, values),
      ...options.map((option) => fishOptionLine(here, option)),
    ];
  });
  return `# Completion of pincer for fish. Save it as ~/.config/fish/completions/pincer.fish
set -g __pincer_paths ${paths.map(fishQuoted).join(' ')}

# Succeeds if the command being typed is the argument: its words, joined by spaces.
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

function fishValueLines(here: string, values: Completions): string[] {
  const words = fishWordsOf(values);
  return words === undefined ? [] : [`${here} ${words}`];
}

function fishOptionLine(here: string, { names, summary, values }: OptionSpec): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${fishQuoted(name.slice(2))}` : `-s ${fishQuoted(name.slice(1))}`,
  );
  const takes =
    values === undefined
      ? []
      : [values === 'files' ? '-r' : '-x', ...[fishWordsOf(values)].filter((each) => each !== undefined)];
  return [here, ...flags, ...takes, '-d', fishQuoted(summary)].join(' ');
}

/** @returns undefined if the value cannot be completed. */
function fishWordsOf(values: Completions): string | undefined {
  if (values === 'files') return '-F';
  if (values === 'folders') return `-a ${fishQuoted('(__fish_complete_directories (commandline -ct))')}`;
  if (typeof values === 'string')
    return `-a ${fishQuoted(`(pincer __complete ${values} (commandline -ct) 2>/dev/null)`)}`;
  return values.length === 0 ? undefined : `-a ${fishQuoted(values.join(' '))}`;
}

/** A word in single quotes. In fish, a backslash must be escaped there, too. */
const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;

export function powershellScript(commands: readonly CommandSpec[]): string {
  const list = (words: readonly string[]): string => `@(${words.map(powershellQuoted).join(', ')})`;
  const entries = commands.map(({ path, commands: inner, options, values }) => {
    const valued = options.flatMap(({ names, values: taken }) =>
      taken === undefined
        ? []
        : names.map((name) => `${powershellQuoted(name)} = ${powershellValuesText(taken, list)}`),
    );
    return `    ${powershellQuoted(path)} = @{
      Words = ${list([...inner.map(({ name }) => name), ...(typeof values === 'string' ? [] : values)])}
      Options = ${list(options.flatMap(({ names }) => names))}
      Kind = ${powershellQuoted(typeof values === 'string' ? values : '')}
      Valued = @{ ${valued.join('; ')} }
    }`;
  });
  return `# Completion of pincer for PowerShell. Add it to your profile:
#   pincer completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName pincer -ScriptBlock {
  param($current, $ast, $cursor)
  $commands = @{
${entries.join('\n')}
  }
  $at = ''
  $previous = ''
  foreach ($element in @($ast.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursor) { break }
    $word = $element.Extent.Text
    if ($word -eq '--') { return }
    $longer = ($at + ' ' + $word).Trim()
    if ($commands.ContainsKey($longer)) { $at = $longer }
    $previous = $word
  }
  $command = $commands[$at]
  $words = $command.Words
  $kind = $command.Kind
  if ($command.Valued.ContainsKey($previous)) {
    $words = $command.Valued[$previous].Words
    $kind = $command.Valued[$previous].Kind
  } elseif ($current -like '-*') {
    $words = $command.Options
    $kind = ''
  }
  if ($kind -in 'servers', 'tools', 'secrets', 'tokens') { $words = @(pincer __complete $kind $current 2>$null) }
  $words | Where-Object { $_ -and $_.StartsWith($current) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

const powershellValuesText = (values: Completions, list: (words: readonly string[]) => string): string =>
  typeof values === 'string'
    ? `@{ Words = @(); Kind = ${powershellQuoted(values)} }`
    : `@{ Words = ${list(values)}; Kind = '' }`;

const powershellQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
