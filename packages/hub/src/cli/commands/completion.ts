/** `pincer completion`: prints a shell's completion script, generated from the command table. */
import { defineCommand } from '../command.ts';
import {
  bashScript,
  fishScript,
  powershellScript,
  SHELLS,
  zshScript,
  type Shell,
} from '../completion/scripts.ts';
import { readSpec, type CommandSpec } from '../completion/spec.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson } from '../terminal/output.ts';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

export const command = defineCommand({
  usage: SHELLS.join('|'),
  description: 'Prints a script that completes commands, options, servers and tools in a shell.',
  arguments: [['<shell>', '', SHELLS]],
  completes: SHELLS,
  async run({ words: [shell], table }, { json }) {
    const script = SCRIPTS[shell](await readSpec(table));
    if (json) printJson({ ok: true, shell, script });
    else print(script);
    return EXIT.ok;
  },
});
