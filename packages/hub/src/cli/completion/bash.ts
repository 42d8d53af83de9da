import type { CommandSpec, Values } from './spec.ts';
import { quoted } from './quote.ts';

/** Works with bash alone, from 3.2 on; what `compgen` is given is all our own. */
export function bashScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const cases = commands.map(
    ({ path, commands: inner, options, values }) =>
      `    ${quoted(path)}) words=${quoted(inner.map(({ name }) => name).join(' '))} options=${quoted(
        options.flatMap(({ names }) => names).join(' '),
      )} ${valuesText(values)} ;;`,
  );
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [
            `    ${names.map((name) => quoted(`${path} ${name}`)).join('|')}) words='' options='' kind='' ${valuesText(values)} ;;`,
          ],
    ),
  );
  return `# Completion of pincer for bash. Keep it where your bash looks for it, such as
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
      # After the dot of a server comes a tool.
      [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *. ]] && compopt -o nospace 2>/dev/null
      ;;
  esac
}
complete -F _pincer pincer
`;
}

const valuesText = (values: Values): string =>
  typeof values === 'string'
    ? `kind=${values}`
    : values.length === 0
      ? ''
      : `words=${quoted(values.join(' '))}`;
