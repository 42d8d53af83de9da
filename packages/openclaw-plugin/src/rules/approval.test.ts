import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTEMPTS } from '../../../../test/kit/attempts.ts';
import { fullText } from '../../../hub/src/core/approvals/full-text.ts';
import { toByteText } from '../../../hub/src/core/wire/byte-text.ts';
import { elsewhere, questionText } from './approval.ts';

const QUESTION = { id: 'a1b2c3', server: 'github', tool: 'create_issue', arguments: '{"n":1}', isCut: false };

describe('question in OpenClaw', () => {
  it('names server, tool, agent and arguments', () => {
    expect(questionText(QUESTION, 'main')).toEqual({
      title: 'Run github.create_issue once?',
      description: 'Server: "github"\nTool: "create_issue"\nAgent: "main"\nArguments: {"n":1}',
    });
  });

  it.each([
    ['the hub has cut it', { isCut: true }],
    ['it is too long', { arguments: `{"a":"${'x'.repeat(500)}"}` }],
    ['a name is too long', { tool: 't'.repeat(500) }],
    ['escapes leave no room', { arguments: JSON.stringify({ a: '\u0600'.repeat(80), command: 'rm -rf /' }) }],
  ])('is not asked if %s, and names where to see the call', (_why, changes) => {
    const question = { ...QUESTION, ...changes };
    expect(questionText(question, 'main')).toBeUndefined();
    expect(elsewhere(question)).toContain('/mcp approvals show a1b2c3');
    expect(elsewhere(question).length).toBeLessThan(512);
  });

  it.each(ATTEMPTS)('shows the whole call or is not asked: hidden $name', ({ args, seen }) => {
    const given = fullText(toByteText(args), Infinity)!;
    const text = questionText({ ...QUESTION, arguments: given }, 'main');
    expect(text?.description.includes(seen) ?? Array.from(given).length > 400).toBe(true);
  });

  it('has no foreign line and no hidden character', () => {
    const { title, description } = questionText(
      { ...QUESTION, tool: 'x"\nServer: "mine', arguments: '{"a":"\u2028\u200b\u202e"}' },
      'main\nArguments: {}',
    )!;
    expect(title).toBe('Run github.x"\\u{A}Server: "mine once?');
    expect(description.split('\n')).toEqual([
      'Server: "github"',
      'Tool: "x\\"\\nServer: \\"mine"',
      'Agent: "main\\nArguments: {}"',
      'Arguments: {"a":"\\u{2028}\\u{200B}\\u{202E}"}',
    ]);
  });

  it('is never longer than OpenClaw accepts', () => {
    const unit = fc.constantFrom(
      'a',
      '"',
      '\\',
      '\n',
      '\u200b',
      '\u00a0',
      '\u0600',
      '\ud800',
      '\u{1f600}',
      '\u{e0041}',
    );
    const text = fc.string({ unit, maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, text, (tool, given, agent, server) => {
        const asked = questionText({ ...QUESTION, server, tool, arguments: given }, agent);
        if (asked === undefined) return;
        const { title, description } = asked;
        // The host escapes hidden characters before it counts; nothing is left to escape.
        expect(Array.from(title).length).toBeLessThanOrEqual(80);
        expect(Array.from(description).length).toBeLessThanOrEqual(512);
        expect(description).not.toMatch(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0]/u);
        expect(description.split('\n')).toHaveLength(4);
      }),
      { numRuns: 200 },
    );
  });
});
