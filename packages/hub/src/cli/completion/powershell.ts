import type { CommandSpec, Values } from './spec.ts';

export function powershellScript(commands: readonly CommandSpec[]): string {
  const list = (words: readonly string[]): string => `@(${words.map(quoted).join(', ')})`;
  const entries = commands.map(({ path, commands: inner, options, values }) => {
    const valued = options.flatMap(({ names, values: taken }) =>
      taken === undefined ? [] : names.map((name) => `${quoted(name)} = ${valuesText(taken, list)}`),
    );
    return `    ${quoted(path)} = @{
      Words = ${list([...inner.map(({ name }) => name), ...(typeof values === 'string' ? [] : values)])}
      Options = ${list(options.flatMap(({ names }) => names))}
      Kind = ${quoted(typeof values === 'string' ? values : '')}
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

const valuesText = (values: Values, list: (words: readonly string[]) => string): string =>
  typeof values === 'string'
    ? `@{ Words = @(); Kind = ${quoted(values)} }`
    : `@{ Words = ${list(values)}; Kind = '' }`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
