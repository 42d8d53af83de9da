/** The `system` commands on this machine, with a policy that the test sets. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Caller } from '../../packages/hub/src/core/caller.ts';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import type { ProgramRun } from '../../packages/hub/src/core/program.ts';
import { writeFileAtomically } from '../../packages/hub/src/owner/state-folder.ts';
import type {
  Command,
  CommandContext,
  PreparedRun,
  RunnableRun,
} from '../../packages/hub/src/device/registry/capability.ts';
import type { RunResult } from '../../packages/hub/src/device/exec/executor.ts';
import { systemCommands } from '../../packages/hub/src/device/system/capability.ts';
import { realPorts } from './device-ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

const EVERYTHING = { defaults: { security: 'full', ask: 'off' } };

export function systemBench(policy: object | undefined = EVERYTHING, env: Record<string, string> = {}) {
  const folder = temporaryFolder('system');
  onTestFinished(() => folder[Symbol.dispose]());
  const root = realpathSync(folder.path);
  const [home, work] = [join(root, 'state'), join(root, 'work')];
  for (const each of [home, work]) mkdirSync(each);
  const real = realPorts({ PATH: process.env['PATH'], HOME: work, ...env });
  const runs: ProgramRun[] = [];
  let now = 1_000;
  let onRun = (): void => undefined;
  const ports = {
    ...real,
    home,
    clock: { now: () => now, elapsed: () => performance.now() },
    run: (run: ProgramRun) => {
      runs.push(run);
      onRun();
      return real.run(run);
    },
  };
  const setPolicy = (next: object): void =>
    writeFileSync(join(home, 'exec-approvals.json'), JSON.stringify({ version: 1, ...next }));
  if (policy !== undefined) setPolicy(policy);
  const system = systemCommands(ports, { writeFile: writeFileAtomically, limits: DEFAULT_LIMITS });

  const contextOf = (
    openClaw?: Caller['openClaw'],
    signal = new AbortController().signal,
  ): CommandContext => ({
    caller: { id: 'test', name: 'test', scopes: {}, ...(openClaw && { openClaw }) },
    signal,
    progress: () => undefined,
  });
  const judge = (args: object, context = contextOf()): Promise<PreparedRun> => {
    const command: Command = system.commands['system.run'];
    return command.prepare!(command.input.parse(args), context);
  };
  const prepare = async (args: object, context = contextOf()): Promise<RunnableRun> => {
    const prepared = await judge(args, context);
    if (prepared.decision === 'deny') throw new Error(prepared.reason);
    return prepared;
  };
  return {
    ...system,
    home,
    work,
    /** The programs that were started. */
    runs,
    /** Runs right before each start, after all checks. */
    beforeRun: (then: () => void) => void (onRun = then),
    setPolicy,
    contextOf,
    /** Whether the command may run, and if not, why. */
    judge,
    /** The prepared command, if it may run at once or after an approval. */
    prepare,
    wait: (milliseconds: number) => void (now += milliseconds),
    /** Prepares and starts a command as if a person had approved it. */
    run: async (args: object, context = contextOf()) =>
      (await (await prepare(args, context)).run(context)) as RunResult,
    call: (
      name: Exclude<keyof typeof system.commands, 'system.run'>,
      args: object = {},
      context = contextOf(),
    ) => {
      const command: Command = system.commands[name];
      return Promise.resolve(command.input.parse(args)).then((read) => command.run!(read, context));
    },
  };
}
