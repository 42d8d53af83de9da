import { describe, expect, it } from 'vitest';
import { readOutput } from './read-output.ts';

const read = (exitCode: number | null, output: object) => readOutput(exitCode, JSON.stringify(output), '');
const failure = (message: string, more = {}) =>
  read(1, { ok: false, error: { type: 'cli_error', message }, ...more });

describe('readOutput', () => {
  it('reads an answer with its files', () => {
    const output = {
      payloads: [
        { text: 'Here it is.', mediaUrl: null, mediaUrls: ['./pic.png', '/home/ada/note.txt'] },
        { text: 'And more.', mediaUrl: null },
      ],
      meta: { systemPromptReport: { workspaceDir: '/home/ada' } },
    };
    expect(read(0, output)).toMatchObject({
      kind: 'answered',
      text: 'Here it is.\n\nAnd more.',
      media: [{ url: './pic.png' }, { url: '/home/ada/note.txt' }],
      workspace: '/home/ada',
    });
  });

  it('accepts an empty answer', () =>
    expect(read(0, { payloads: [], meta: {} })).toMatchObject({ kind: 'answered', text: '', media: [] }));

  it('reports why a turn has no answer, and its text before that', () => {
    const output = {
      payloads: [
        { text: 'I begin.', mediaUrl: null },
        { text: "⚠️ Agent couldn't generate a response.", isError: true, mediaUrl: null },
      ],
      meta: { error: { kind: 'incomplete_turn', message: "Agent couldn't generate a response." } },
    };
    expect(read(1, output)).toEqual({
      kind: 'failed',
      message: "⚠️ Agent couldn't generate a response.",
      text: 'I begin.',
    });
    expect(read(1, { ...output, payloads: [] })).toMatchObject({
      message: "Agent couldn't generate a response.",
    });
    expect(read(1, { payloads: [], meta: {} })).toMatchObject({ kind: 'failed', message: /./ });
  });

  it('reports a failed model as a failed turn', () =>
    expect(failure('LLM request failed: provider rejected the request schema or tool payload.')).toEqual({
      kind: 'failed',
      message: 'LLM request failed: provider rejected the request schema or tool payload.',
      text: '',
    }));

  it.each([
    [
      'gateway',
      'A Gateway is running for this state directory (pid 7, port 18789). Run without --local to use it.',
    ],
    ['busy', 'failed to acquire gateway state ownership'],
    ['busy', 'another embedded OpenClaw state writer is active (pid 7); lock timeout after 5000ms'],
    ['busy', 'gateway already running (pid 7); lock timeout after 5000ms'],
    ['agent', 'Agent nobody is not present in the configured roster.'],
  ])('reports that nothing was run: %s', (why, message) =>
    expect(failure(message)).toEqual({ kind: 'refused', why, message }),
  );

  it('names the errors of an invalid configuration', () => {
    const issues = [{ path: 'gateway.port', message: 'Invalid input: expected number, received string' }];
    expect(failure('OpenClaw config is invalid: ~/.openclaw/openclaw.json', { issues })).toEqual({
      kind: 'refused',
      why: 'config',
      message:
        'OpenClaw config is invalid: ~/.openclaw/openclaw.json; gateway.port: Invalid input: expected number, received string',
    });
  });

  it('takes the reason from stderr without a stack if stdout is not JSON', () => {
    const words = 'openclaw: Node 20 is too old.\nError\n    at run (file:///x.mjs:1:1)\n\nNode.js v20.1.0\n';
    expect(readOutput(1, 'noise', words)).toEqual({
      kind: 'silent',
      exitCode: 1,
      message: 'Node 20 is too old.',
    });
    expect(readOutput(1, 'noise', words.slice(words.indexOf('Error')))).toEqual({
      kind: 'silent',
      exitCode: 1,
      message: 'Error',
    });
    const reason =
      '[openclaw] The CLI command failed.\n[openclaw] Reason: no memory\n[openclaw] Try: doctor\n';
    expect(readOutput(1, '', reason)).toEqual({ kind: 'silent', exitCode: 1, message: 'no memory' });
    expect(readOutput(null, '', '')).toEqual({ kind: 'silent', exitCode: null, message: '' });
  });

  it('hides secrets and control characters', () => {
    const key = `sk-${'aB3dE5gH7jK9'.repeat(3)}`;
    const output = failure(`Incorrect API key provided: ${key} \u001b[2J`);
    expect(output).toMatchObject({ kind: 'failed', message: expect.stringContaining('Incorrect API key') });
    expect(JSON.stringify(output)).not.toContain(key);
    expect('message' in output && output.message).not.toContain('\u001b');
  });
});
