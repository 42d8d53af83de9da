/** `system.*`: runs and finds programs, shows and tightens the exec policy, and shows notifications. */
import { parse } from 'node:path';
import { z } from 'zod';
import { PincerError } from '../../core/errors.ts';
import {
  openApprovals,
  type AllowedPlan,
  type ApprovalsStore,
  suspendedEntries,
  type Suspended,
} from '../exec/approvals-store.ts';
import { agentName, effectiveFor, MAIN_AGENT } from '../exec/decide.ts';
import { baseEnvironment } from '../exec/environment.ts';
import { createExecutor } from '../exec/executor.ts';
import { openMachine } from '../exec/machine.ts';
import { loadPolicy, type ExecPolicy } from '../exec/policy-file.ts';
import { formatCommand } from '../exec/read-request.ts';
import { applyRemoteChange, shownPolicy } from '../exec/remote-change.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { needed, texts } from '../registry/arguments.ts';
import {
  defineCapability,
  type Capability,
  type Readiness,
  type Command,
  type Payload,
  CommandFailure,
} from '../registry/capability.ts';
import { notifyCommands } from './notify.ts';
import { createPreparedPlans, systemRun, systemRunPrepare, type RunLimits } from './run.ts';

interface SystemParts {
  /** Replaces a file atomically (temporary file, fsync, rename), readable only by its owner. */
  readonly writeFile: (path: string, text: string) => void;
  readonly limits: RunLimits;
}

type SystemCommands = ReturnType<typeof systemCommands>;

/** Members of the subject of an approved `system.run`. */
export type AllowedForGood = AllowedPlan & {
  readonly agent?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly onlyOnce?: string | undefined;
};

export function systemCommands(ports: DevicePorts, { writeFile, limits }: SystemParts) {
  const { platform, env, home, clock } = ports;
  const now = (): number => clock.now();
  const base = baseEnvironment(env, platform);
  const store = openApprovals({ home, writeFile, now });
  const machine = openMachine(env, platform);
  const executor = createExecutor({
    platform,
    base,
    machine,
    state: home,
    // Never the state folder.
    folder: base['HOME'] ?? base['USERPROFILE'] ?? parse(home).root,
    policy: () => loadPolicy(home),
  });
  const run = { ports, executor, machine, prepared: createPreparedPlans(now), limits };
  return {
    commands: {
      'system.run': systemRun(run),
      'system.run.prepare': systemRunPrepare(run),
      'system.which': whichCommand(ports),
      'system.execApprovals.get': getApprovals(store),
      'system.execApprovals.set': setApprovals(store),
    },
    async readiness(): Promise<Readiness[]> {
      const policy = store.policy();
      return systemReadiness(policy, await suspendedEntries(policy, executor));
    },
    /** Only for the person at this machine. Never reachable by a caller. */
    allowAlways({ agent, env: variables = {}, onlyOnce, ...plan }: AllowedForGood): void {
      if (Object.keys(variables).length > 0)
        throw new PincerError(
          'ARGUMENT_INVALID',
          'A command that sets variables cannot be allowed for good.',
          { hint: 'Allow it once: pincer approvals allow ID. Or request it without "env".' },
        );
      if (onlyOnce !== undefined)
        throw new PincerError('ARGUMENT_INVALID', `This command cannot be allowed for good: ${onlyOnce}.`, {
          hint: 'Allow it once: pincer approvals allow ID. For commands that can be allowed for good, see docs/device.md, "Programs".',
        });
      store.allowAlways(plan, formatCommand(plan.argv), agentName(agent));
    },
  };
}

export function createSystemCapability(ports: DevicePorts, system: SystemCommands): Capability {
  const notify = notifyCommands(ports);
  return defineCapability({
    category: 'system',
    commands: { ...system.commands, ...notify.commands },
    readiness: async () => [...(await system.readiness()), ...notify.readiness()],
  });
}

const MAX_NAMES = 256;
const INPUT = z.object({ bins: needed(texts('Names of programs, without folders.')) });

/** `system.which`: finds programs. */
const whichCommand = ({ env, platform }: DevicePorts): Command<typeof INPUT> => ({
  description:
    'Finds programs on this machine. Arguments: bins (names). Returns {bins: {name: path}} with the programs that were found.',
  input: INPUT,
  output: z.object({
    bins: z.record(z.string(), z.string()).describe('The path of each program that was found, by name.'),
  }),
  example: { bins: ['git', 'ffmpeg'] },
  annotations: { title: 'Find programs', readOnlyHint: true, idempotentHint: true },
  run({ bins = [] }) {
    if (bins.length === 0)
      throw new CommandFailure('Missing bins parameter', {
        hint: 'Send the names of programs, such as {"bins": ["git"]}.',
        notExecuted: true,
      });
    const found = bins.slice(0, MAX_NAMES).flatMap((name) => {
      const path = findProgram(name, env, platform);
      return path === undefined ? [] : [[name, path] as const];
    });
    return { bins: Object.fromEntries(found) };
  },
});

const RUN = ['system.run', 'system.run.prepare'];

/** Whether programs can run here, and under which policy. */
function systemReadiness(policy: ExecPolicy, suspended: readonly Suspended[]): Readiness[] {
  return [
    {
      commands: ['system.which', 'system.execApprovals.get', 'system.execApprovals.set'],
      available: true,
      backend: 'built in',
    },
    withSuspended(readinessOf(policy), suspended),
  ];
}

function withSuspended(readiness: Readiness, suspended: readonly Suspended[]): Readiness {
  if (!readiness.available || suspended.length === 0) return readiness;
  return {
    ...readiness,
    reason: `Suspended: ${suspended.map(({ command, reason }) => `\`${command}\` (${reason})`).join(', ')}`,
    hint: 'You are asked about these commands when they are called. Then allow one again with `pincer approvals allow ID --always`, if that is offered, or remove its entry from exec-approvals.json.',
  };
}

function readinessOf(policy: ExecPolicy): Readiness {
  if (policy.kind === 'closed')
    return {
      commands: RUN,
      available: false,
      isRule: true,
      reason: `${policy.file} ${policy.why}`,
      hint: policy.remedy ?? `Repair or remove ${policy.file} in the state folder.`,
    };
  if (policy.kind === 'rules') return { commands: RUN, available: true, backend: 'exec-policy.json' };
  const { security, ask } = effectiveFor(policy.file, MAIN_AGENT);
  if (security === 'deny' || ask === 'deny')
    return {
      commands: RUN,
      available: false,
      isRule: true,
      reason: 'exec-approvals.json denies every command',
      hint: 'Set "security" and "ask" in exec-approvals.json in the state folder.',
    };
  return { commands: RUN, available: true, backend: `exec approvals (${security}, ask ${ask})` };
}

const OUTPUT = z.object({
  path: z.string().describe('Path of the policy file.'),
  exists: z.boolean().describe('Whether the file exists.'),
  hash: z.string().describe('Hash of the current file. Send it as baseHash with a change.'),
  file: z.looseObject({ version: z.literal(1) }).describe('Content of the file.'),
});
/** Covers both forms of policy: the schema of a tool is one object. */
const EITHER_OUTPUT = OUTPUT.partial({ path: true, exists: true, file: true }).extend({
  enabled: z
    .literal(true)
    .optional()
    .describe('This and the following: only if exec-policy.json is in force.'),
  baseHash: z.string().optional().describe('The same as "hash".'),
  defaultAction: z.enum(['allow', 'deny', 'prompt']).optional().describe('For commands that match no rule.'),
  constraints: z.record(z.string(), z.boolean()).optional().describe('What a change may not do.'),
  rules: z
    .array(z.looseObject({ pattern: z.string(), action: z.string() }))
    .optional()
    .describe('The first rule that matches decides.'),
});
const NOTHING = z.object({});
const CHANGE = z.object({
  baseHash: z
    .unknown()
    .optional()
    .meta({ type: 'string' })
    .describe('Required, here or as base_hash: "hash" of the result of system.execApprovals.get.'),
  base_hash: z.unknown().optional().meta({ type: 'string' }).describe('Another name of baseHash.'),
  file: needed(
    z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        properties: { version: { const: 1 } },
        required: ['version'],
        additionalProperties: true,
      })
      .describe('The whole new content of the file.'),
  ),
  rules: z.unknown().optional().describe('Refused: rules are only read from exec-policy.json.'),
});

/** `system.execApprovals.get` and `.set`: lets a gateway show and tighten the exec policy. */
const getApprovals = (store: ApprovalsStore): Command<typeof NOTHING> => ({
  description:
    'Returns the policy of system.run: {path, exists, hash, file}, or {enabled, hash, baseHash, defaultAction, constraints, rules} if exec-policy.json is in force. Secrets are redacted.',
  input: NOTHING,
  output: EITHER_OUTPUT,
  annotations: { title: 'Show the exec policy', readOnlyHint: true },
  run: (): Payload => ({ ...shownPolicy(store) }),
});

const setApprovals = (store: ApprovalsStore): Command<typeof CHANGE> => ({
  description:
    'Makes the policy of system.run stricter, never looser. Arguments: baseHash (the hash from system.execApprovals.get), file. Returns {path, exists, hash, file}.',
  input: CHANGE,
  output: OUTPUT,
  example: { baseHash: '…', file: { version: 1, defaults: { security: 'deny' } } },
  annotations: { title: 'Tighten the exec policy', readOnlyHint: false, destructiveHint: false },
  run: ({ baseHash, base_hash, file, rules }): Payload => ({
    ...applyRemoteChange(store, { baseHash: baseHash ?? base_hash, file, rules }),
  }),
});
