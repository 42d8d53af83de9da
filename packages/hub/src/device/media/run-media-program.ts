/** Programs that make pictures and clips: run to their end, with the environment of the desktop. */
import type { ProgramEnd, ProgramRun } from '../../core/program.ts';
import type { DevicePorts } from '../ports.ts';
import { desktopEnvironment } from '../programs/desktop-environment.ts';
import { endedWell, ProgramFailure } from '../programs/program-failure.ts';
import { cancelled } from '../registry/failure.ts';

/** One picture of 8K, uncompressed, and some. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
const PICTURE_TIMEOUT_MS = 15_000;

export interface MediaRun extends Pick<ProgramRun, 'command' | 'args' | 'signal' | 'input' | 'onStderr'> {
  readonly timeoutMs?: number;
}

/** What it wrote. Rejects with a ProgramFailure unless it ended well, and with a CommandFailure when nobody wants it any more. */
export async function runMediaProgram(
  { run, env }: Pick<DevicePorts, 'run' | 'env'>,
  { timeoutMs = PICTURE_TIMEOUT_MS, ...what }: MediaRun,
): Promise<ProgramEnd> {
  const end = await run({
    ...what,
    env: desktopEnvironment(env),
    timeoutMs,
    maxBytes: MAX_OUTPUT_BYTES,
    whenFull: 'end',
  });
  if (what.signal.aborted || end.kind === 'aborted') throw cancelled();
  if (!endedWell(end)) throw new ProgramFailure(what.command, end);
  return end;
}
