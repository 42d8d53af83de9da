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

describe('an approval notice', () => {
  it('names the call, the caller and the command that shows it in full', () => {
    expect(approvalNotice(approval())).toEqual({
      title: 'Pincer: may files.delete run?',
      body: 'laptop calls it with {"path":"/x"}\nShow all of it: pincer approvals show 3f2a',
    });
    expect(severalApprovals(3).title).toBe('Pincer: 3 calls wait for you');
  });

  it('shows no secret, because it may appear on a lock screen', () => {
    const given = '{"apiKey":"hush","uri":"x"}';
    const { title, body } = approvalNotice(
      approval({ tool: 'resources/read https://u:hunter2@h/', arguments: given }),
    );
    expect(title).toBe('Pincer: may files.resources/read https://u:[redacted, 7 characters]@h/ run?');
    expect(body).toContain('{"apiKey":"[redacted, 4 characters]","uri":"x"}');
  });

  it('is two short lines for any content', () => {
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
