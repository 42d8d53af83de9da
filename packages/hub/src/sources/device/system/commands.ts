/** Commands of the category `system` that have to do with programs. */
import { parse } from 'node:path';
import { PincerError } from '../../../core/errors.ts';
import { createExecutor } from '../exec/executor.ts';
import { openMachine } from '../exec/plan/machine.ts';
import { agentName } from '../exec/policy/effective.ts';
import { openApprovals, type AllowedPlan } from '../exec/policy/approvals-store.ts';
import { createPreparedPlans } from '../exec/prepared-plans.ts';
import { baseEnvironment } from '../exec/request/environment.ts';
import { formatCommand } from '../exec/request/format-command.ts';
import type { DevicePorts } from '../ports.ts';
import type { Readiness } from '../registry/capability.ts';
import { getApprovals, setApprovals } from './exec-approvals.ts';
import { systemRun, systemRunPrepare, type RunLimits } from './run.ts';
import { systemReadiness } from './readiness.ts';
import { whichCommand } from './which.ts';

export interface SystemParts {
  /** Replaces a file as a whole, for its owner's eyes only: temporary file, fsync, rename. */
  readonly writeFile: (path: string, text: string) => void;
  readonly limits: RunLimits;
}

export type SystemCommands = ReturnType<typeof systemCommands>;

/** What an approval of `system.run` was about: members of its subject. */
export type AllowedForGood = AllowedPlan & {
  readonly agent?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
};

export function systemCommands(ports: DevicePorts, { writeFile, limits }: SystemParts) {
  const { platform, env, home, clock } = ports;
  const now = (): number => clock.now();
  const base = baseEnvironment(env, platform);
  const store = openApprovals({ home, writeFile, now });
  const executor = createExecutor({
    platform,
    base,
    machine: openMachine(env, platform),
    // Never the state folder: what is in there is nobody's to stumble over.
    folder: base['HOME'] ?? base['USERPROFILE'] ?? parse(home).root,
    policy: () => store.policy(),
  });
  const run = { ports, executor, prepared: createPreparedPlans(now), limits };
  return {
    commands: {
      'system.run': systemRun(run),
      'system.run.prepare': systemRunPrepare(run),
      'system.which': whichCommand(ports),
      'system.execApprovals.get': getApprovals(store),
      'system.execApprovals.set': setApprovals(store),
    },
    readiness: (): Readiness[] => systemReadiness(() => store.policy()),
    /** For the person at this machine alone: never wired to anything that a caller sends. */
    allowAlways({ agent, env: variables = {}, ...plan }: AllowedForGood): void {
      if (Object.keys(variables).length > 0)
        throw new PincerError(
          'ARGUMENT_INVALID',
          'A command with variables of its own cannot be allowed for good.',
          { hint: '`pincer approvals allow ID` lets it run once. Or have it called without "env".' },
        );
      store.allowAlways(plan, formatCommand(plan.argv), agentName(agent));
    },
  };
}
