import { describe, expect, it } from 'vitest';
import type { OpenApproval } from '../core/approvals/approvals.ts';
import { approvalNotice, severalApprovals } from './approval-notice.ts';

const approval = (changes: Partial<OpenApproval> = {}): OpenApproval => ({
  id: '3f2a',
  caller: 'laptop',
  server: 'files',
  tool: 'delete',
  arguments: '{"path":"/x"}',
  askedAt: 0,
  state: 'open',
  expiresAt: undefined,
  ...changes,
});

describe('a notice', () => {
  it('says what waits, who asks, and how it is allowed', () => {
    expect(approvalNotice(approval())).toEqual({
      title: 'Pincer: may files.delete run?',
      body: 'laptop asks, with {"path":"/x"}\npincer approvals allow 3f2a',
    });
    expect(severalApprovals(3).title).toBe('Pincer: 3 calls wait for you');
  });

  it('is two lines of bearable length, whatever is in it', () => {
    const long = `a\n\u0000\u202e${'x'.repeat(10_000)}`;
    const { title, body } = approvalNotice(
      approval({ caller: long, server: long, tool: long, arguments: long }),
    );
    expect(title.length).toBeLessThan(120);
    expect(body.length).toBeLessThan(400);
    expect(body.split('\n')).toHaveLength(2);
    for (const char of ['\u0000', '\u202e']) expect(title + body).not.toContain(char);
  });
});
