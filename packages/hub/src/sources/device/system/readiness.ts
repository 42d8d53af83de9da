/** Whether programs can be run here, and by what policy. */
import type { ExecPolicy } from '../exec/policy/load-policy.ts';
import { effectiveFor, MAIN_AGENT } from '../exec/policy/effective.ts';
import type { Readiness } from '../registry/capability.ts';

const RUN = ['system.run', 'system.run.prepare'];

export function systemReadiness(policy: () => ExecPolicy): Readiness[] {
  return [
    {
      commands: ['system.which', 'system.execApprovals.get', 'system.execApprovals.set'],
      available: true,
      backend: 'built in',
    },
    readinessOf(policy()),
  ];
}

function readinessOf(policy: ExecPolicy): Readiness {
  if (policy.kind === 'closed')
    return {
      commands: RUN,
      available: false,
      reason: `${policy.file} ${policy.why}`,
      hint: `Repair or remove ${policy.file} in the state folder.`,
    };
  if (policy.kind === 'rules') return { commands: RUN, available: true, backend: 'exec-policy.json' };
  const { security, ask } = effectiveFor(policy.file, MAIN_AGENT);
  if (security === 'deny' || ask === 'deny')
    return {
      commands: RUN,
      available: false,
      reason: 'exec-approvals.json lets nothing run',
      hint: 'Set "security" and "ask" in exec-approvals.json in the state folder.',
    };
  return { commands: RUN, available: true, backend: `exec approvals (${security}, ask ${ask})` };
}
