/** `system.run` and `system.run.prepare`. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '../../core/caller.ts';
import type { Executor, Looked } from '../exec/executor.ts';
import { planDigest } from '../exec/plan/exec-plan.ts';
import type { Machine } from '../exec/plan/machine.ts';
import type { NoPlan } from '../exec/plan/make-plan.ts';
import { agentName } from '../exec/policy/effective.ts';
import { refusalText } from '../exec/policy/verdict.ts';
import type { PreparedPlans } from '../exec/prepared-plans.ts';
import { formatCommand } from '../exec/request/format-command.ts';
import {
  readRequest,
  type ExecRequest,
  type RunArguments,
  type TimeoutLimits,
} from '../exec/request/read-request.ts';
import { notStarted, runPlan } from '../exec/run-plan.ts';
import { checkShownInFull, subjectOf } from '../exec/subject.ts';
import { inlinePayload } from '../exec/wrappers/inline-code.ts';
import type { Limits } from '../../core/limits.ts';
import type { DevicePorts } from '../ports.ts';
import { inRunFolder } from '../programs/run-folder.ts';
import type { Command, PreparedRun, RunnableRun } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { PREPARE_INPUT, PREPARE_OUTPUT, RUN_OUTPUT, runInput, type RunInput } from './run-input.ts';

/** What is shown to a person at most, what is kept of each stream, and how long it may take. */
export type RunLimits = Pick<Limits, 'maxCommandBytes' | 'maxRunOutputBytes'> & TimeoutLimits;

/** For the digest that callers get: without a key they could find out by guessing what a file holds. */
const DIGEST_KEY = randomBytes(32);

export interface RunParts {
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

  /** Whether a person has allowed exactly this at the gateway, which was told before what exactly it is. */
  const isAllowedThere = (caller: Caller, digest: string): boolean =>
    caller.openClaw?.approved !== undefined && prepared.has(caller, digest);

  function prepareLooked(request: ExecRequest, looked: Looked, caller: Caller): PreparedRun {
    const { made, digest, verdict } = looked;
    const { decision } = verdict;
    if (decision === 'deny') return { decision, reason: `${verdict.text}. ${verdict.hint}` };
    const agent = agentName(caller.openClaw?.agent);
    const subject = subjectOf(made, request.env, agent);
    const runIt: RunnableRun['run'] = ({ signal }) =>
      executor.startAsLookedAt({ request, agent, plan: made.plan, decision }, (again, letBy) =>
        runPlan(again, {
          run,
          letBy,
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
          if (!prepared.use(caller, digest)) throw usedUp();
          return runIt(context);
        },
      };
    checkShownInFull(subject, limits.maxCommandBytes);
    return { decision, subject, run: runIt };
  }

  return {
    description: `Runs a program on this machine, without a shell, and waits for its end. Arguments: command (a list of strings, or a line that is split without expansion), args, cwd, env, timeoutMs (${runTimeoutMs}, at most ${maxRunTimeoutMs}). What may run is in exec-approvals.json; anything else is shown to a person first. Gives back {stdout, stderr, exitCode, timedOut, durationMs, success, truncated}; at most ${Math.round(maxRunOutputBytes / 1024)} KiB of each stream.`,
    input: runInput(limits),
    output: RUN_OUTPUT,
    example: { command: ['git', 'status'], timeoutMs: 10_000 },
    annotations: { title: 'Run a program', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    async prepare(args, { caller }) {
      const request = requestOf(args, { ports, limits }, (reason) => refusalText('ValidationFailed', reason));
      const agent = agentName(caller.openClaw?.agent);
      const looked = await executor.look(request, agent);
      if (!('why' in looked)) return prepareLooked(request, looked, caller);
      const closed = executor.closedFor(agent);
      if (closed !== undefined) return { decision: 'deny', reason: closed };
      if (looked.isRefused) throw invalid(refusalText('ResolutionFailed', 'not-runnable'), sentence(looked));
      return {
        decision: 'allow',
        subject: { argv: request.argv },
        run: () => Promise.resolve(notStarted(looked.why)),
      };
    },
  };
}

const sentence = ({ why }: NoPlan): string => `${why[0]!.toUpperCase()}${why.slice(1)}.`;

const usedUp = (): CommandFailure =>
  new CommandFailure(refusalText('UserDenied', 'approval-already-used'), {
    hint: 'It was not run. Prepare it once more, and ask again.',
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
      'Says what exactly system.run would run, and runs nothing. Arguments: command, args, cwd, env, agentId, sessionKey. Gives back {cmdText, plan: {argv, cwd, rawCommand, agentId, sessionKey, path, envHash, operands, digest}}.',
    input: PREPARE_INPUT,
    output: PREPARE_OUTPUT,
    example: { command: ['git', 'status'] },
    annotations: { title: 'Look at a command', readOnlyHint: true },
    async run(args, { caller }) {
      const textOf = (reason: string): string => `Invalid system.run request: ${reason}`;
      const request = requestOf(args, { ports, limits }, textOf);
      const agent = agentName(caller.openClaw?.agent);
      const looked = await executor.look(request, agent);
      if ('why' in looked) throw invalid(textOf('not-runnable'), sentence(looked));
      const { made, verdict } = looked;
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
          // Not what they hold: whoever may ask this need not be able to read them.
          operands: subject.operands.map(({ path }) => ({ path })),
          rawCommand: cmdText,
          commandText: cmdText,
          commandPreview: inlinePayload(request.argv) ?? null,
          agentId: typeof args.agentId === 'string' ? args.agentId : null,
          sessionKey: typeof args.sessionKey === 'string' ? args.sessionKey : null,
          digest: createHmac('sha256', DIGEST_KEY).update(digest).digest('hex'),
        },
        // In OpenClaw's words, of this very command: whether the gateway has to ask its people about it.
        execPolicy: { security: 'full', ask: verdict.decision === 'allow' ? 'off' : 'always' },
      };
    },
  };
}
