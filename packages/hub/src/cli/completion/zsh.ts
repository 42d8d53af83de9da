import type { CommandSpec, Values } from './spec.ts';
import { quoted } from './quote.ts';

export function zshScript(commands: readonly CommandSpec[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const cases = commands.map(
    ({ path, commands: inner, options, values }) =>
      `    ${quoted(path)})
      entries=(${inner.map(({ name, summary }) => described(name, summary)).join(' ')})
      options=(${options.flatMap(({ names, summary }) => names.map((name) => described(name, summary))).join(' ')})
      ${valuesText(values)} ;;`,
  );
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) =>
      values === undefined
        ? []
        : [
            `    ${names.map((name) => quoted(`${path} ${name}`)).join('|')}) entries=() options=() kind=''; ${valuesText(values)} ;;`,
          ],
    ),
  );
  return `#compdef pincer
# Completion of pincer for zsh. Keep it in a folder of your fpath, such as
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
      # After the dot of a server comes a tool.
      compadd -S '' -- \${(M)names:#*.}
      compadd -- \${names:#*.}
      ;;
  esac
}
if [[ \${funcstack[1]} == _pincer ]]; then _pincer "$@"; else compdef _pincer pincer; fi
`;
}

/** A colon parts the word and what it is. */
const described = (name: string, summary: string): string =>
  quoted(`${name.replaceAll(':', String.raw`\:`)}:${summary}`);

const valuesText = (values: Values): string =>
  typeof values === 'string'
    ? `kind=${values}`
    : values.length === 0
      ? ''
      : `entries=(${values.map(quoted).join(' ')})`;
