import { PincerError } from '../errors.ts';
import type { StoredApproval } from '../ports.ts';
import { visible } from '../visible.ts';

/** The open question of this id, or of the only id that begins so. */
export function findOpen(approvals: readonly StoredApproval[], id: string): StoredApproval {
  const found = approvals.filter((each) => id !== '' && each.id.startsWith(id));
  const open = found.filter((each) => each.state === 'open');
  const exact = open.find((each) => each.id === id);
  if (exact !== undefined) return exact;
  if (open.length === 1) return open[0]!;
  const ids = open.map((each) => each.id);
  if (open.length > 1)
    throw new PincerError('ARGUMENT_INVALID', `Several open approvals begin with "${visible(id)}".`, {
      hint: 'Give more of the id.',
      data: { ids },
    });
  const decided = found.length === 1 ? ` It was ${found[0]!.state} before.` : '';
  throw new PincerError('ARGUMENT_INVALID', `There is no open approval "${visible(id)}".${decided}`, {
    hint: 'Run `pincer approvals`.',
  });
}
