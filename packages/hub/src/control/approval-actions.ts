import type { Foretold } from '../core/call/approval-ahead.ts';
import type { Approvals, OpenApproval } from '../core/approvals/approvals.ts';
import type { Caller } from '../core/caller.ts';
import type { Addressed } from '../core/call/route.ts';
import { ownersHint, PincerError } from '../core/errors.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import { readMembers, type Member } from '../core/wire/members.ts';
import { bindRoutes } from './bind-routes.ts';
import type { AskedAhead } from './contract/people.ts';

export interface ApprovalParts {
  readonly approvals: Pick<Approvals, 'list' | 'decide' | 'withdraw'>;
  readonly book: { find(name: string): Caller | undefined };
  /** Allows such calls from now on without approval. Throws if that is not possible for this call. */
  allowAlways(approval: OpenApproval): void;
  /** Returns the decision on a call that a program is about to send. */
  askAhead(call: Addressed, maxBytes: number): Promise<Foretold>;
}

export const approvalActions = ({ approvals, book, askAhead, allowAlways }: ApprovalParts) =>
  bindRoutes({
    'GET approvals': () => approvals.list(),
    'POST approvals'({ body: { id, decision, always } }) {
      const open = approvals.list().filter((each) => each.id.startsWith(id) && each.state === 'open');
      // Do this first: if the call cannot always be allowed, it must not be allowed once by mistake.
      if (always === true && open.length === 1) allowAlways(open[0]!);
      return approvals.decide(id, decision);
    },
    'DELETE approvals': ({ query: { id } }) => approvals.withdraw(id),
    async 'POST approvals/ask'({ body: { server, by, method, params, room } }) {
      const caller = book.find(by);
      if (caller === undefined) throw new PincerError('USAGE', `There is no token "${by}".`);
      return answerOf(await askAhead({ caller, view: server, method, params: membersOf(params) }, room));
    },
  });

const membersOf = (params: Record<string, unknown>): readonly Member[] => readMembers(jsonBytes(params));

function answerOf(foretold: Foretold): AskedAhead {
  if (foretold.decision === 'ask') return { decision: 'ask', ...foretold.question };
  if (foretold.decision === 'allow') return foretold;
  const { code, message } = foretold.reason;
  return { decision: 'deny', code, message, hint: ownersHint(foretold.reason) };
}
