import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionText } from './question-text.ts';

const QUESTION = { id: 'a1b2c3', server: 'github', tool: 'create_issue', arguments: '{"n":1}', isCut: false };

describe('the question in OpenClaw', () => {
  it('names server, tool, agent and arguments', () => {
    expect(questionText(QUESTION, 'main')).toEqual({
      title: 'Run github.create_issue once?',
      description: 'Server: "github"\nTool: "create_issue"\nAgent: "main"\nArguments: {"n":1}',
    });
  });

  it('says where the rest can be seen when something is missing', () => {
    const { description } = questionText({ ...QUESTION, isCut: true }, undefined);
    expect(description.split('\n')).toEqual([
      'Server: "github"',
      'Tool: "create_issue"',
      'Some of the arguments are not shown: /mcp approvals show a1b2c3',
      'Arguments: {"n":1}',
    ]);
  });

  it('says so, too, where what is escaped leaves no room for the rest', () => {
    const given = JSON.stringify({ a: '\u0600'.repeat(80), command: 'rm -rf /' });
    const { description } = questionText({ ...QUESTION, arguments: given }, 'main');
    expect(description).not.toContain('rm -rf');
    expect(description.split('\n')[3]).toBe(
      'Some of the arguments are not shown: /mcp approvals show a1b2c3',
    );
  });

  it('has no line and no hidden character that comes from elsewhere', () => {
    const { title, description } = questionText(
      { ...QUESTION, tool: 'x"\nServer: "mine', arguments: '{"a":"\u2028\u200b\u202e"}' },
      'main\nArguments: {}',
    );
    expect(title).toBe('Run github.x"\\u{A}Server: "mine once?');
    expect(description.split('\n')).toEqual([
      'Server: "github"',
      'Tool: "x\\"\\nServer: \\"mine"',
      'Agent: "main\\nArguments: {}"',
      'Arguments: {"a":"\\u{2028}\\u{200B}\\u{202E}"}',
    ]);
  });

  it('is never longer than OpenClaw takes, whatever is in it', () => {
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
    const text = fc.string({ unit, maxLength: 600 });
    fc.assert(
      fc.property(text, text, text, text, (tool, given, agent, server) => {
        const question = { ...QUESTION, server, tool, arguments: given, isCut: true };
        const { title, description } = questionText(question, agent);
        // The host escapes what is hidden before it counts; nothing is left for it to escape.
        expect(Array.from(title).length).toBeLessThanOrEqual(80);
        expect(Array.from(description).length).toBeLessThanOrEqual(512);
        expect(description).not.toMatch(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0]/u);
        expect(description.split('\n')).toHaveLength(5);
      }),
      { numRuns: 40 },
    );
  });
});
