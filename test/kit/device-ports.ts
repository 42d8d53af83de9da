/** Ports that the device capabilities need, real or recorded. */
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

/** Runs programs for real, in an environment that the test sets. */
export const realPorts = (env: Record<string, string | undefined>): DevicePorts => ({
  platform: process.platform,
  env,
  clock,
  log: quiet,
  run: createPrograms({ started: describeGroup, ended: () => undefined, close: () => undefined }).run,
  home: tmpdir(),
});

export interface RecordedPorts extends DevicePorts {
  /** The programs that would have run, in order. */
  readonly runs: readonly ProgramRun[];
}

export interface Machine {
  platform?: NodeJS.Platform;
  env?: Record<string, string | undefined>;
  home?: string;
  /** How a program ends; by default with exit code 0 and no output. */
  answer?: (run: ProgramRun) => Partial<ProgramEnd> | Promise<Partial<ProgramEnd>>;
}

/** Ports of a simulated machine: records programs instead of running them. */
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

/** Runs a command as the source does, arguments parsed by its schema. Returns the payload as a client reads it. */
export async function runCommand(
  command: Command | undefined,
  args: object = {},
  { signal = new AbortController().signal, progress = () => undefined }: Partial<CommandContext> = {},
): Promise<Payload> {
  if (command?.run === undefined) throw new Error('no such command');
  const caller = { name: 'test', scopes: {} } as CommandContext['caller'];
  const payload = await command.run(command.input.parse(args), { caller, signal, progress });
  return JSON.parse(JSON.stringify(payload)) as Payload;
}
