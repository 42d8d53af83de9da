import { z } from 'zod';
import type { Approvals } from '../../core/approvals/approvals.ts';
import type { ControlActions } from './control.ts';
import { readAs } from './read-body.ts';

const decideBody = z.strictObject({ id: z.string().min(1), decision: z.enum(['allowed', 'denied']) });

export const approvalActions = (approvals: Pick<Approvals, 'list' | 'decide'>): ControlActions => ({
  'GET approvals': () => approvals.list(),
  'POST approvals'({ body }) {
    const { id, decision } = readAs(decideBody, body);
    return approvals.decide(id, decision);
  },
});
