/** Whether a command runs, is asked about, or does not. */
import { isAllowed, type Asked } from './allowlist.ts';
import { effectiveFor } from './effective.ts';
import type { ExecPolicy } from './load-policy.ts';
import { decideByRules } from './rules.ts';
import { refusalText, type Refusal, type Verdict } from './verdict.ts';

const POLICY_HINT = 'exec-approvals.json in the state folder says what may run.';

const VARIABLES_HINT =
  'It sets variables ("env"), and no entry of exec-approvals.json lets those through: each such call needs an approval of its own, which "ask": "on-miss" asks for. Without "env" the list counts.';

const deny = (code: string, reason: string, hint: string = POLICY_HINT): Refusal => ({
  decision: 'deny',
  text: refusalText(code, reason),
  hint,
});

/** The word of a policy that lets nothing run, whatever it is. */
function closed(policy: ExecPolicy, agent: string): Refusal | undefined {
  if (policy.kind === 'closed')
    return deny(
      'SecurityDeny',
      'security=deny',
      `${policy.file} ${policy.why}, so nothing runs. ${policy.remedy ?? 'Repair or remove it.'}`,
    );
  return policy.kind === 'approvals' && effectiveFor(policy.file, agent).security === 'deny'
    ? deny('SecurityDeny', 'security=deny')
    : undefined;
}

export function closedBy(policy: ExecPolicy, agent: string): string | undefined {
  const refusal = closed(policy, agent);
  return refusal && `${refusal.text}. ${refusal.hint}`;
}

export function decide(policy: ExecPolicy, agent: string, asked: Asked): Verdict {
  const verdict = decideByPolicy(policy, agent, asked);
  // The admin token and the policy itself are in there: no policy lets a command near them without a person.
  return verdict.decision === 'allow' && asked.namesState ? { decision: 'ask' } : verdict;
}

function decideByPolicy(policy: ExecPolicy, agent: string, asked: Asked): Verdict {
  const refusal = closed(policy, agent);
  if (refusal !== undefined || policy.kind === 'closed') return refusal!;
  if (policy.kind === 'rules') return decideByRules(policy.rules, asked);
  const { security, ask, allowlist } = effectiveFor(policy.file, agent);
  if (ask === 'always') return { decision: 'ask' };
  const isMiss = security === 'allowlist' && !isAllowed(allowlist, asked);
  if (isMiss && ask === 'on-miss') return { decision: 'ask' };
  if (isMiss) return deny('AllowlistMiss', 'allowlist-miss', missHint(asked));
  return ask === 'deny'
    ? deny('AskDeny', 'ask=deny')
    : { decision: 'allow', isStanding: security === 'allowlist' };
}

function missHint({ setsVariables, onlyOnce }: Asked): string {
  if (setsVariables) return VARIABLES_HINT;
  return onlyOnce === undefined
    ? POLICY_HINT
    : `No entry is for this command, since ${onlyOnce}. Set "ask": "on-miss" in exec-approvals.json to be asked each time.`;
}
