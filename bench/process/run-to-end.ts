/** Runs a short program to its end and returns its output. */
import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';
import { forget, refuseWhenEnding, remember } from './running.ts';

export interface RunOptions {
  timeoutMs: number;
  input?: string;
  cwd?: string;
  env?: Record<string, string>;
}

const STDERR_SHOWN = 1000;

/** Rejects with the program's stderr if it fails. */
export async function runNode(args: readonly string[], options: RunOptions): Promise<string> {
  refuseWhenEnding();
  const { timeoutMs, input = '', ...others } = options;
  const run = promisify(execFile)(process.execPath, args, { ...others, timeout: timeoutMs });
  remember(run.child.pid);
  run.child.stdin?.end(input);
  try {
    return (await run).stdout;
  } catch (error) {
    const { stderr = '', code, signal, killed } = error as Partial<ExecFileException>;
    const reason = killed === true ? `no end after ${timeoutMs} ms` : `exit ${code ?? signal}`;
    throw new Error(`${reason}: ${stderr.trim().slice(-STDERR_SHOWN)}`, { cause: error });
  } finally {
    forget(run.child.pid);
  }
}
