/**
 * The desktop notice for an approval. Notices are short and appear on lock screens, so secrets are hidden. A call is not
 * approved from here but where it is shown in full.
 */
import type { OpenApproval } from '../core/approvals/approvals.ts';
import { hideTokens, TOKENS_ONLY } from '../core/redact/hide-tokens.ts';
import { redactArguments } from '../core/redact/redact.ts';
import { visible } from '../core/visible.ts';
import { toByteText } from '../core/wire/byte-text.ts';
import type { Notice } from '../core/desktop-program.ts';

const MAX_NAME = 80;
const MAX_ARGUMENTS = 240;

export const approvalNotice = ({ id, caller, server, tool, arguments: shown }: OpenApproval): Notice => ({
  title: `Pincer: may ${cut(visible(hideTokens(`${server}.${tool}`)), MAX_NAME)} run?`,
  body: [
    `${cut(visible(caller), MAX_NAME)} calls it with ${redactArguments(toByteText(shown), MAX_ARGUMENTS, TOKENS_ONLY)}`,
    `Show all of it: pincer approvals show ${id}`,
  ].join('\n'),
});

export const severalApprovals = (count: number): Notice => ({
  title: `Pincer: ${count} calls wait for you`,
  body: 'pincer approvals',
});

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}…`);
