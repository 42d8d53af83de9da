/**
 * Looks at a command, says what the policy says of it, and starts exactly what was looked at: right before the start
 * everything is looked up again, and whatever differs is refused.
 */
import { PLAN_CHANGED } from '../../core/approvals/wait.ts';
import { CommandFailure } from '../registry/failure.ts';
import { planDifferences, planDigest, type ExecPlan } from './plan/exec-plan.ts';
import { homeOf, makePlan, type MadePlan, type NoPlan, type PlanParts } from './plan/make-plan.ts';
import { boundFiles } from './policy/bound-files.ts';
import { closedBy, decide } from './policy/decide.ts';
import type { ExecPolicy } from './policy/load-policy.ts';
import { refusalText, type Verdict } from './policy/verdict.ts';
import type { ExecRequest } from './request/read-request.ts';
import type { LetBy } from './run-plan.ts';

export interface Looked {
  readonly made: MadePlan;
  readonly digest: string;
  readonly verdict: Verdict;
}

export interface ExecutorParts extends PlanParts {
  readonly platform: NodeJS.Platform;
  /** Read each time. */
  policy(): ExecPolicy;
}

export interface Executor {
  look(request: ExecRequest, agent: string): Promise<Looked | NoPlan>;
  /** Why nothing at all runs for an agent; undefined: something may. */
  closedFor(agent: string): string | undefined;
  /**
   * `start` is called with what was looked at, or not at all. `decision`: what was decided after the first look, by the
   * policy and by a person; a policy that has become stricter since is obeyed.
   */
  startAsLookedAt<T>(looked: StartOf, start: (made: MadePlan, letBy: LetBy) => Promise<T>): Promise<T>;
}

export interface StartOf {
  readonly request: ExecRequest;
  readonly agent: string;
  readonly plan: ExecPlan;
  /** `allow`: the policy lets it run. `ask`: a person has. */
  readonly decision: 'allow' | 'ask';
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { platform, base, policy } = parts;

  async function look(request: ExecRequest, agent: string): Promise<Looked | NoPlan> {
    const made = await makePlan(request, parts);
    if ('why' in made) return made;
    const verdict = decide(policy(), agent, {
      chain: made.chain,
      cwd: made.plan.cwd,
      filesHash: boundFiles(made.plan),
      setsVariables: Object.keys(request.env).length > 0,
      home: homeOf(base),
      platform,
      onlyOnce: made.onlyOnce?.reason,
      namesState: made.namesState,
    });
    return { made, digest: planDigest(made.plan), verdict };
  }

  return {
    look,
    closedFor: (agent) => closedBy(policy(), agent),
    async startAsLookedAt({ request, agent, plan, decision }, start) {
      const now = await look(request, agent);
      if ('why' in now) throw changed('path');
      if (now.digest !== planDigest(plan)) throw changed(planDifferences(plan, now.made.plan).join(', '));
      if (now.verdict.decision === 'deny' || isStricter(now.verdict, decision))
        throw policyChanged(now.verdict);
      return start(now.made, decision === 'ask' ? 'person' : letBy(now.verdict));
    },
  };
}

const letBy = (verdict: Verdict): LetBy =>
  verdict.decision === 'allow' && verdict.isStanding ? 'entry' : 'anything';

const isStricter = (verdict: Verdict, decision: StartOf['decision']): boolean =>
  decision === 'allow' && verdict.decision === 'ask';

const changed = (what: string): CommandFailure =>
  new CommandFailure(refusalText('ResolutionFailed', `changed since it was looked at: ${what}`), {
    hint: 'It was not run. Ask again for what is there now.',
    code: PLAN_CHANGED,
    notExecuted: true,
  });

const policyChanged = (verdict: Verdict): CommandFailure =>
  new CommandFailure(refusalText('SecurityDeny', 'policy-changed-before-execution'), {
    hint: verdict.decision === 'deny' ? `It was not run. ${verdict.hint}` : 'It was not run. Ask again.',
    code: 'EXEC_POLICY_CHANGED',
    notExecuted: true,
  });
