import { z } from 'zod';
import type { Foretold } from '../../core/call/approval-ahead.ts';
import type { Approvals, OpenApproval } from '../../core/approvals/approvals.ts';
import type { Caller } from '../../core/caller.ts';
import type { Addressed } from '../../core/call/route.ts';
import { ownersHint, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { readMembers, type Member } from '../../core/wire/members.ts';
import type { ControlActions } from './control.ts';
import { readAs } from './read-body.ts';

export interface ApprovalParts {
  readonly approvals: Pick<Approvals, 'list' | 'decide' | 'withdraw'>;
  readonly book: { find(name: string): Caller | undefined };
  /** What a call would do may be done from now on without asking. Throws where that cannot be said of it. */
  allowAlways(approval: OpenApproval): void;
  /** What will become of a call that a program is about to send. */
  askAhead(call: Addressed, maxBytes: number): Promise<Foretold>;
}

const decideBody = z
  .strictObject({
    id: z.string().min(1),
    decision: z.enum(['allowed', 'denied']),
    /** Not only this once. */
    always: z.literal(true).optional(),
  })
  .refine(({ decision, always }) => always === undefined || decision === 'allowed', {
    error: '"always" goes with allowed',
  });

const askBody = z.strictObject({
  server: z.string().min(1),
  /** The name of the credential that the call will come with. */
  by: z.string().min(1),
  method: z.enum(['tools/call', 'prompts/get', 'resources/read']).default('tools/call'),
  /** As they will come, names as the server has them. */
  params: z.custom<Record<string, unknown>>(isRecord, { error: 'an object' }),
  /** How much of the arguments there is room for, in bytes. */
  room: z
    .int()
    .min(64)
    .max(64 * 1024)
    .default(2_048),
});

export const approvalActions = ({
  approvals,
  book,
  askAhead,
  allowAlways,
}: ApprovalParts): ControlActions => ({
  'GET approvals': () => approvals.list(),
  'POST approvals'({ body }) {
    const { id, decision, always } = readAs(decideBody, body);
    const open = approvals.list().filter((each) => each.id.startsWith(id) && each.state === 'open');
    // First: what cannot be allowed for good is not allowed once by a slip of the hand.
    if (always === true && open.length === 1) allowAlways(open[0]!);
    return approvals.decide(id, decision);
  },
  'DELETE approvals'({ query }) {
    approvals.withdraw(query.get('id') ?? '');
  },
  async 'POST approvals/ask'({ body }) {
    const { server, by, method, params, room } = readAs(askBody, body);
    const caller = book.find(by);
    if (caller === undefined) throw new PincerError('USAGE', `There is no token "${by}".`);
    return answerOf(await askAhead({ caller, view: server, method, params: membersOf(params) }, room));
  },
});

const membersOf = (params: Record<string, unknown>): readonly Member[] => readMembers(jsonBytes(params));

function answerOf(foretold: Foretold): object {
  if (foretold.decision === 'ask') return { decision: 'ask', ...foretold.question };
  if (foretold.decision === 'allow') return foretold;
  const { code, message } = foretold.reason;
  return { decision: 'deny', code, message, hint: ownersHint(foretold.reason) };
}
