/** `system.run` and `system.run.prepare`: their schemas, the approval, and plans that a gateway has approved. */
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from '../../core/caller.ts';
import type { Limits } from '../../core/limits.ts';
import { agentName, refusalText } from '../exec/decide.ts';
import { type Executor, type Assessment, notStarted, runPlan } from '../exec/executor.ts';
import { inlinePayload } from '../exec/inline-code.ts';
import type { Machine } from '../exec/machine.ts';
import { planDigest, type NoPlan } from '../exec/plan.ts';
import {
  formatCommand,
  readRequest,
  type ExecRequest,
  type RunArguments,
  type TimeoutLimits,
} from '../exec/read-request.ts';
import { checkShownInFull, subjectOf } from '../exec/subject.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { inRunFolder } from '../programs/run-folder.ts';
import { needed } from '../registry/arguments.ts';
import { type Command, type PreparedRun, type RunnableRun, CommandFailure } from '../registry/capability.ts';

export type RunLimits = Pick<Limits, 'maxCommandBytes' | 'maxRunOutputBytes'> & TimeoutLimits;

/** Keys the digest that callers get. Without a key, callers could guess the content of files. */
const DIGEST_KEY = randomBytes(32);

interface RunParts {
  readonly ports: DevicePorts;
  readonly executor: Executor;
  readonly machine: Machine;
  readonly prepared: PreparedPlans;
  readonly limits: RunLimits;
}

const invalid = (text: string, hint: string): CommandFailure =>
  new CommandFailure(text, { hint, code: 'INVALID_REQUEST', notExecuted: true });

function requestOf(
  args: RunArguments,
  { ports, limits }: Pick<RunParts, 'ports' | 'limits'>,
  textOf: (reason: string) => string,
): ExecRequest {
  const request = readRequest(args, ports.platform, limits);
  if (!('problem' in request)) return request;
  const { reason, text, hint } = request.problem;
  throw invalid(text ?? textOf(reason), hint);
}

export function systemRun({ ports, executor, machine, prepared, limits }: RunParts): Command<RunInput> {
  const { clock, run } = ports;
  const { runTimeoutMs, maxRunTimeoutMs, maxRunOutputBytes } = limits;

  /** Whether a person has allowed this plan at the gateway, to which `system.run.prepare` returned it. */
  const isAllowedThere = (caller: Caller, digest: string): boolean =>
    caller.openClaw?.approved !== undefined && prepared.has(caller, digest);

  function prepareAssessed(request: ExecRequest, assessed: Assessment, caller: Caller): PreparedRun {
    const { made, digest, verdict } = assessed;
    const { decision } = verdict;
    if (decision === 'deny') return { decision, reason: `${verdict.text}. ${verdict.hint}` };
    const agent = agentName(caller.openClaw?.agent);
    const subject = subjectOf(made, request.env, agent);
    const runIt: RunnableRun['run'] = ({ signal }) =>
      executor.startPlanned({ request, agent, plan: made.plan, decision }, (again, allowedBy) =>
        runPlan(again, {
          run,
          allowedBy,
          machine,
          inFolder: (work) => inRunFolder(ports.home, 'exec', work),
          timeoutMs: request.timeoutMs,
          maxOutputBytes: maxRunOutputBytes,
          signal,
          elapsed: () => clock.elapsed(),
        }),
      );
    if (decision === 'allow') return { decision, subject, run: runIt };
    if (isAllowedThere(caller, digest))
      return {
        decision: 'allow',
        subject,
        async run(context) {
          if (!prepared.use(caller, digest)) throw approvalUsed();
          return runIt(context);
        },
      };
    checkShownInFull(subject, limits.maxCommandBytes);
    return { decision, subject, run: runIt };
  }

  return {
    description: `Runs a program on this machine, without a shell, and waits for its end. Arguments: command (a list of strings, or a line that is split without expansion), args, cwd, env, timeoutMs (${runTimeoutMs}, at most ${maxRunTimeoutMs}). exec-approvals.json lists what may run; for other commands a person is asked first. Returns {stdout, stderr, exitCode, timedOut, durationMs, success, truncated}; at most ${Math.round(maxRunOutputBytes / 1024)} KiB of each stream.`,
    input: runInput(limits),
    output: RUN_OUTPUT,
    example: { command: ['git', 'status'], timeoutMs: 10_000 },
    annotations: { title: 'Run a program', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    async prepare(args, { caller }) {
      const request = requestOf(args, { ports, limits }, (reason) => refusalText('ValidationFailed', reason));
      const agent = agentName(caller.openClaw?.agent);
      const assessed = await executor.assess(request, agent);
      if (!('why' in assessed)) return prepareAssessed(request, assessed, caller);
      const closed = executor.closedFor(agent);
      if (closed !== undefined) return { decision: 'deny', reason: closed };
      if (assessed.isRefused)
        throw invalid(refusalText('ResolutionFailed', 'not-runnable'), sentence(assessed));
      return {
        decision: 'allow',
        subject: { argv: request.argv },
        run: () => Promise.resolve(notStarted(assessed.why)),
      };
    },
  };
}

const sentence = ({ why }: NoPlan): string => `${why[0]!.toUpperCase()}${why.slice(1)}.`;

const approvalUsed = (): CommandFailure =>
  new CommandFailure(refusalText('UserDenied', 'approval-already-used'), {
    hint: 'The command was not run. Prepare it again, and request a new approval.',
    notExecuted: true,
  });

export function systemRunPrepare({
  ports,
  executor,
  prepared,
  limits,
}: RunParts): Command<typeof PREPARE_INPUT> {
  return {
    description:
      'Returns exactly what system.run would run, without running it. Arguments: command, args, cwd, env, agentId, sessionKey. Returns {cmdText, plan: {argv, cwd, rawCommand, agentId, sessionKey, path, envHash, operands, digest}}.',
    input: PREPARE_INPUT,
    output: PREPARE_OUTPUT,
    example: { command: ['git', 'status'] },
    annotations: { title: 'Prepare a command', readOnlyHint: true },
    async run(args, { caller }) {
      const textOf = (reason: string): string => `Invalid system.run request: ${reason}`;
      const request = requestOf(args, { ports, limits }, textOf);
      const agent = agentName(caller.openClaw?.agent);
      const assessed = await executor.assess(request, agent);
      if ('why' in assessed) throw invalid(textOf('not-runnable'), sentence(assessed));
      const { made, verdict } = assessed;
      if (verdict.decision === 'deny')
        throw new CommandFailure(verdict.text, { hint: verdict.hint, notExecuted: true });
      const subject = subjectOf(made, request.env, agent);
      checkShownInFull(subject, limits.maxCommandBytes);
      const digest = planDigest(made.plan);
      prepared.keep(caller, digest);
      const cmdText = formatCommand(request.argv);
      return {
        cmdText,
        plan: {
          ...subject,
          // Without hashes: the caller may not be allowed to read the files.
          operands: subject.operands.map(({ path }) => ({ path })),
          rawCommand: cmdText,
          commandText: cmdText,
          commandPreview: inlinePayload(request.argv) ?? null,
          agentId: typeof args.agentId === 'string' ? args.agentId : null,
          sessionKey: typeof args.sessionKey === 'string' ? args.sessionKey : null,
          digest: createHmac('sha256', DIGEST_KEY).update(digest).digest('hex'),
        },
        // In OpenClaw's form: whether the gateway must ask a person about this command.
        execPolicy: { security: 'full', ask: verdict.decision === 'allow' ? 'off' : 'always' },
      };
    },
  };
}

const strings = { type: 'array', items: { type: 'string' } };
const anything = (about: string, shape: Readonly<Record<string, unknown>>) =>
  z.unknown().optional().meta(shape).describe(about);

const COMMAND = {
  command: needed(
    anything(
      'The program and its arguments. A line is split at blanks. Quotes work, nothing is expanded, and shell syntax is refused.',
      {
        anyOf: [
          { ...strings, minItems: 1 },
          { type: 'string', minLength: 1 },
        ],
      },
    ),
  ),
  args: anything('Further arguments if "command" is a line.', strings),
  rawCommand: anything('The command as one line. It must be the same as "command".', { type: 'string' }),
  shell: anything('Refused: commands run without a shell.', {}),
  cwd: anything('Absolute path of the working folder. The home folder if absent.', { type: 'string' }),
  env: anything(
    'Variables to set. Variables that change what a program loads, or look like secrets, are refused.',
    {
      type: 'object',
      additionalProperties: { type: 'string' },
    },
  ),
};

const runInput = ({ runTimeoutMs, maxRunTimeoutMs }: TimeoutLimits) =>
  z.object({
    ...COMMAND,
    timeoutMs: anything(
      `Timeout in milliseconds; ${runTimeoutMs} if absent.`,
      // No default: a client that fills it in would override "timeout".
      { type: 'number', minimum: 1, maximum: maxRunTimeoutMs },
    ),
    timeout: anything('Another name of timeoutMs.', { type: 'number', minimum: 1, maximum: maxRunTimeoutMs }),
  });

type RunInput = ReturnType<typeof runInput>;

const PREPARE_INPUT = z.object({
  ...COMMAND,
  agentId: anything('Returned unchanged.', { type: 'string' }),
  sessionKey: anything('Returned unchanged.', { type: 'string' }),
});

const RUN_OUTPUT = z.object({
  stdout: z.string().describe('Standard output, without blanks at the end.'),
  stderr: z.string().describe('Standard error, or why the program did not start.'),
  exitCode: z.number().describe('Exit code. -1 if the program did not start or was stopped.'),
  timedOut: z.boolean().describe('Whether the program was stopped after its timeout.'),
  durationMs: z.number().describe('Duration in milliseconds.'),
  success: z.boolean().describe('Whether the program exited by itself with code 0.'),
  truncated: z.boolean().describe('Whether output was dropped.'),
});

const PREPARE_OUTPUT = z.object({
  cmdText: z.string().describe('The command as one line.'),
  plan: z
    .looseObject({
      argv: z.array(z.string()),
      cwd: z.string(),
      rawCommand: z.string(),
      commandText: z.string(),
      commandPreview: z.string().nullable(),
      agentId: z.string().nullable(),
      sessionKey: z.string().nullable(),
      path: z.string(),
      envHash: z.string(),
      digest: z.string(),
    })
    .describe('Exactly what would run: arguments, program, folder, variables, files.'),
  execPolicy: z
    .object({ security: z.string(), ask: z.string() })
    .describe('ask is "always" if the gateway must ask a person, else "off".'),
});

const MAX_PREPARED = 256;
const PREPARED_MS = 10 * 60_000;

interface PreparedPlans {
  keep(caller: Caller, digest: string): void;
  has(caller: Caller, digest: string): boolean;
  /** Returns true once for each plan that was kept. */
  use(caller: Caller, digest: string): boolean;
}

export function createPreparedPlans(now: () => number): PreparedPlans {
  const until = new Map<string, number>();
  const keyOf = ({ id, openClaw }: Caller, digest: string): string =>
    JSON.stringify([id, openClaw?.agent ?? '', openClaw?.session ?? '', digest]);
  const isKept = (key: string): boolean => (until.get(key) ?? 0) > now();
  return {
    keep(caller, digest) {
      const key = keyOf(caller, digest);
      until.delete(key);
      until.set(key, now() + PREPARED_MS);
      // A Map iterates in insertion order, so the first is the oldest.
      for (const [oldest, end] of until) if (until.size > MAX_PREPARED || end <= now()) until.delete(oldest);
    },
    has: (caller, digest) => isKept(keyOf(caller, digest)),
    use(caller, digest) {
      const key = keyOf(caller, digest);
      const was = isKept(key);
      until.delete(key);
      return was;
    },
  };
}
