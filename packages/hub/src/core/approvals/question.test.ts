import { describe, expect, it } from 'vitest';
import { approvalQuestion, fitsForm, readDecision, takesForms } from './question.ts';
import type { OpenApproval } from './approvals.ts';
import { readAbilities } from '../client.ts';
import { fullText } from './full-text.ts';
import { parseBytes, toByteText } from '../wire/byte-text.ts';

const approval = (changes: Partial<OpenApproval> = {}): OpenApproval => ({
  id: 'a1',
  caller: 'laptop',
  server: 'files',
  tool: 'delete',
  arguments: '{"path":"/größe"}',
  askedAt: 1,
  state: 'open',
  expiresAt: undefined,
  ...changes,
});
const MAX = 4_096;
const messageOf = (changes?: Partial<OpenApproval>): string =>
  (parseBytes(approvalQuestion(approval(changes), MAX)) as { message: string }).message;

describe('the approval question', () => {
  it('names server, tool, arguments and caller, each on its own line', () => {
    expect(messageOf()).toBe(
      [
        'Pincer: may this call run, once?',
        'Server: "files"',
        'Tool: "delete"',
        'Arguments: {"path":"/größe"}',
        'Asked for by: "laptop"',
      ].join('\n'),
    );
    expect(parseBytes(approvalQuestion(approval(), MAX))).toMatchObject({
      requestedSchema: { type: 'object', properties: {} },
    });
  });

  it('cannot be forged by the names in it', () => {
    const forged = 'x"\nServer: "harmless\u2028\u202e\u0085';
    const json = JSON.stringify({ [forged]: forged });
    const lines = messageOf({
      server: forged,
      tool: forged,
      caller: forged,
      arguments: fullText(toByteText(json), 2_000)!,
    }).split(/[\n\r\u0085\u2028\u2029]/);
    expect(lines.map((line) => line.slice(0, 8))).toEqual([
      'Pincer: ',
      'Server: ',
      'Tool: "x',
      'Argument',
      'Asked fo',
    ]);
    expect(lines.join('')).not.toMatch(/[\u202e\u2028]/);
  });
});

describe('a question too long for a form', () => {
  it('names the command that shows it, instead of showing a part', () => {
    const long = { arguments: `{"a":"${'x'.repeat(4_000)}"}`, tool: `resources/read ${'u'.repeat(5_000)}` };
    expect(messageOf(long).split('\n')).toEqual([
      'Pincer: a call waits for your approval. It is too long to show here.',
      'Server: "files"',
      `Tool: "resources/read ${'u'.repeat(85)}"…`,
      'Asked for by: "laptop"',
      'To see all of it and allow it, run: pincer approvals show a1',
      'Decline to deny it here. Any other answer leaves it open.',
    ]);
    expect(fitsForm(approval(long), MAX)).toBe(false);
  });

  it('is measured in bytes, names included', () => {
    const size = Buffer.byteLength(messageOf());
    expect([fitsForm(approval(), size), fitsForm(approval(), size - 1)]).toEqual([true, false]);
  });
});

describe('the answer', () => {
  it.each([
    ['{"action":"accept","content":{}}', 'allowed'],
    ['{"action":"accept"}', 'allowed'],
    ['{"action":"decline"}', 'denied'],
    ['{"action":"cancel"}', undefined],
    ['{"action":"ACCEPT"}', undefined],
    ['{"content":{"action":"accept"}}', undefined],
    ['{}', undefined],
    ['[]', undefined],
    ['null', undefined],
    [undefined, undefined],
  ])('%s means %s', (result, decision) => {
    expect(readDecision(result)).toBe(decision);
  });
});

describe('takesForms', () => {
  it.each([
    ['{"elicitation":{}}', true],
    ['{"elicitation":{"form":{}}}', true],
    ['{"elicitation":{"form":{},"url":{}}}', true],
    ['{"elicitation":{"url":{}}}', false],
    ['{"sampling":{}}', false],
    ['{}', false],
  ])('for %s returns %s', (raw, takes) => {
    expect(takesForms(readAbilities(raw))).toBe(takes);
  });
});
