/** What the desktop says of a call that waits for a person. */
import type { OpenApproval } from '../core/approvals/approvals.ts';
import { visible } from '../core/visible.ts';
import type { Notice } from '../core/desktop-program.ts';

const MAX_NAME = 80;
const MAX_ARGUMENTS = 240;

export const approvalNotice = ({ id, caller, server, tool, arguments: shown }: OpenApproval): Notice => ({
  title: `Pincer: may ${cut(visible(`${server}.${tool}`), MAX_NAME)} run?`,
  body: [
    `${cut(visible(caller), MAX_NAME)} asks, with ${cut(visible(shown), MAX_ARGUMENTS)}`,
    `pincer approvals allow ${id}`,
  ].join('\n'),
});

export const severalApprovals = (count: number): Notice => ({
  title: `Pincer: ${count} calls wait for you`,
  body: 'pincer approvals',
});

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}…`);
