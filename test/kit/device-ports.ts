/** What capabilities of this machine need, for tests of them. */
import { tmpdir } from 'node:os';
import type { ProgramEnd, ProgramRun } from '../../packages/hub/src/core/program.ts';
import type { Command, CommandContext, Payload } from '../../packages/hub/src/device/registry/capability.ts';
import { createPrograms } from '../../packages/hub/src/owner/run-program.ts';
import { describeGroup } from '../../packages/hub/src/owner/end-processes.ts';
import type { DevicePorts } from '../../packages/hub/src/device/registry/ports.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Programs are really run, in an environment of the test's. */
export const realPorts = (env: Record<string, string | undefined>): DevicePorts => ({
  platform: process.platform,
  env,
  clock,
  log: quiet,
  run: createPrograms({ started: describeGroup, ended: () => undefined, close: () => undefined }).run,
  home: tmpdir(),
});

export interface RecordedPorts extends DevicePorts {
  /** What would have been run, in the order of time. */
  readonly runs: readonly ProgramRun[];
}

export interface Machine {
  platform?: NodeJS.Platform;
  env?: Record<string, string | undefined>;
  home?: string;
  /** What becomes of a program; by default it says nothing and all is well. */
  answer?: (run: ProgramRun) => Partial<ProgramEnd> | Promise<Partial<ProgramEnd>>;
}

/** Programs of a machine that is not this one: nothing is run, and it is written down. */
export function recordedPorts({
  platform = 'linux',
  env = {},
  home = tmpdir(),
  answer,
}: Machine): RecordedPorts {
  const runs: ProgramRun[] = [];
  return {
    platform,
    env,
    clock,
    log: quiet,
    home,
    runs,
    async run(run) {
      runs.push(run);
      return { ...endedWell(), ...(await answer?.(run)) };
    },
  };
}

const endedWell = (): ProgramEnd => ({
  kind: 'exited',
  reason: 'exited with code 0',
  exitCode: 0,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  dropped: { stdout: 0, stderr: 0 },
});

/** A command as the source calls it, arguments read by its schema first; and its payload as a client reads it. */
export async function runCommand(
  command: Command | undefined,
  args: object = {},
  { signal = new AbortController().signal, progress = () => undefined }: Partial<CommandContext> = {},
): Promise<Payload> {
  if (command?.run === undefined) throw new Error('there is no such command');
  const caller = { name: 'test', scopes: {} } as CommandContext['caller'];
  const payload = await command.run(command.input.parse(args), { caller, signal, progress });
  return JSON.parse(JSON.stringify(payload)) as Payload;
}
