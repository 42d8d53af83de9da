import { basename } from 'node:path';
import { findExecutable, type Executable } from '../plan/find-executable.ts';
import type { Machine } from '../plan/machine.ts';
import { runsCode } from '../wrappers/inline-code.ts';
import { programNames } from '../wrappers/program-name.ts';
import type { Shebang } from './script-head.ts';

export interface Interpreter {
  readonly executable: Executable;
  readonly argv0: string;
  /** What stands before the script. */
  readonly before: readonly string[];
  /** As programs are known; undefined: it is none that runs code. */
  readonly name: string | undefined;
}

/** What the system starts for a script's first line. `env NAME` is what it finds under that name. */
export function interpreterOf(
  { interpreter, option }: Shebang,
  cwd: string,
  machine: Machine,
): Interpreter | undefined {
  const isEnv = basename(interpreter) === 'env' && option !== undefined && /^(?!-)[\w.+-]+$/.test(option);
  const executable = findExecutable(isEnv ? option : interpreter, cwd, machine);
  if (executable === undefined) return undefined;
  return {
    executable,
    argv0: isEnv ? option : interpreter,
    before: option === undefined || isEnv ? [] : [option],
    name: [...programNames(executable.found, executable.path)].find(runsCode),
  };
}
