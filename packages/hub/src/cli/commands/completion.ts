/** `pincer completion`: a script for a shell; and `__complete`, which the script asks for names. */
import type { Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { powershellScript } from '../completion/powershell.ts';
import type { Shell } from '../completion/shells.ts';
import { specOf, type CommandSpec } from '../completion/spec.ts';
import { zshScript } from '../completion/zsh.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printJson } from '../terminal/output.ts';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

export function completion(shell: Shell, program: Command, { json }: Context): ExitCode {
  const script = SCRIPTS[shell](specOf(program));
  if (json) printJson({ ok: true, shell, script });
  else print(script);
  return EXIT.ok;
}
