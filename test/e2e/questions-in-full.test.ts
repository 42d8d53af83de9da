/** A person can only allow what they were shown: hostile calls on every surface of the hub where a person decides. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAskingHub, type AskingHub } from '../kit/approvals.ts';
import { ATTEMPTS } from '../kit/attempts.ts';
import { runCli } from '../kit/proxy/on-hub.ts';
import { callText, parseAnswer } from '../kit/messages.ts';
import { openOnTerminal } from '../kit/terminal.ts';
import type { Era } from '../servers/flags.ts';

const ERAS: Era[] = ['legacy', 'modern'];
const FORM_BYTES = 4_096;

let asking: AskingHub;
beforeAll(async () => {
  asking = await startAskingHub({ approvalWaitMs: 1_000, maxApprovalBytes: 100_000 });
});
afterAll(() => asking[Symbol.asyncDispose]());

/** Sends the call as raw bytes. Returns the code of its refusal, or undefined if it ran. */
async function pay(args: string, meta?: string): Promise<unknown> {
  await using connection = asking.hub.connect();
  const { messages } = await connection.post(callText('bank__pay', { args, meta }));
  return parseAnswer(messages.at(-1)!).error?.data?.['code'];
}

const ended = async (id: string): Promise<void> => void (await asking.decide(id, 'denied'));

describe.each(ATTEMPTS)('text hidden $name', ({ args, seen }) => {
  it('is in the approval, which shows exactly the call', async () => {
    expect(await pay(args)).toBe('APPROVAL_PENDING');
    const [question] = await asking.open();
    expect(question!.arguments).toContain(seen);
    expect(JSON.parse(question!.arguments)).toEqual(JSON.parse(args));
    // oxlint-disable-next-line no-control-regex -- terminal control sequences
    expect(question!.arguments).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/);
    await ended(question!.id);
  });
});

describe.each(ERAS)('a client of the %s era that may approve', (era) => {
  let client: Client;
  const asked: string[] = [];
  beforeAll(async () => {
    const token = await asking.token(`approver-${era}`, { approve: true });
    client = new Client(
      { name: 'eager', version: '1.0.0' },
      {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: {} };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(asking.hub.url), { requestInit }));
  });
  afterAll(() => client.close());

  it.each(ATTEMPTS.filter(({ name }) => !name.includes('duplicate') && !name.includes('digits')))(
    'can only allow what it was shown: $name',
    async ({ args, seen }) => {
      const before = asking.ran().length;
      const paid = client.callTool({
        name: 'bank__pay',
        arguments: JSON.parse(args) as Record<string, unknown>,
      });
      const result = await paid.then(
        () => 'ran',
        () => 'refused',
      );
      const message = asked.at(-1)!;
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(FORM_BYTES);
      expect(result).toBe(message.includes(seen) ? 'ran' : 'refused');
      expect(asking.ran()).toHaveLength(before + (result === 'ran' ? 1 : 0));
      if (result === 'ran') return;
      const [question] = await asking.open();
      expect(message).toContain(`pincer approvals show ${question!.id}`);
      await ended(question!.id);
    },
  );
});

it('what a client writes into _meta is neither shown nor sent', async () => {
  const meta = '"evil":"; rm -rf ~","progressToken":1';
  expect(await pay('{"to":"meta"}', meta)).toBe('APPROVAL_PENDING');
  const [question] = await asking.open();
  expect(question!.arguments).toBe('{"to":"meta"}');
  await asking.decide(question!.id, 'allowed');
  await using connection = asking.hub.connect();
  const { messages } = await connection.post(callText('bank__pay', { args: '{"to":"meta"}', meta }));
  expect(parseAnswer(messages.at(-1)!).result).toMatchObject({ _meta: { got: ['progressToken'] } });
});

it('a call too long to show is refused without an approval', async () => {
  expect(await pay(`{"a":"${'x'.repeat(100_000)}"}`)).toBe('APPROVAL_TOO_LONG');
  expect(await asking.open(0)).toEqual([]);
});

describe('the command line', () => {
  const [{ args: hidden, seen }] = ATTEMPTS as [(typeof ATTEMPTS)[0]];
  const env = (): Record<string, string> => ({ PINCER_HOME: asking.hub.home });
  const run = (...words: string[]) => runCli(asking.hub, words);

  it('does not let a script allow more than the list shows, unless it confirms that', async () => {
    const args = hidden.replace('harmless', 'by a script');
    expect(await pay(args)).toBe('APPROVAL_PENDING');
    const [{ id } = { id: '' }] = await asking.open();
    const refused = await run('approvals', 'allow', id);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`pincer approvals show ${id}`);
    expect(await run('approvals', 'allow', id, '--json')).toMatchObject({ code: 2 });
    expect((await run('approvals', 'show', id)).stdout).toContain(seen);
    expect(await asking.open()).toMatchObject([{ id }]);
    const allowed = await run('approvals', 'allow', id, '--yes');
    expect(allowed).toMatchObject({ code: 0, stdout: 'bank.pay for local may run once.\n' });
    expect(allowed.stderr).toContain(seen);
    expect(await pay(args)).toBeUndefined();
  });

  it('shows the whole call on a terminal before it asks', async () => {
    expect(await pay(hidden.replace('harmless', 'on a terminal'))).toBe('APPROVAL_PENDING');
    const [{ id } = { id: '' }] = await asking.open();
    await using allow = openOnTerminal(['approvals', 'allow', id], env());
    await allow.until('Let it run once? [y/N]');
    expect(allow.seen().replaceAll(/\n\s*/g, '')).toContain(seen);
    allow.type('n\n');
    expect(await allow.ended).toBe(0);
    expect(allow.seen()).toContain('Left open.');
    expect(await asking.open()).toMatchObject([{ id }]);
    await ended(id);
  });

  it('asks about a short call too, because its id may come from a source that shows less', async () => {
    expect(await pay('{"to":"Zoe"}')).toBe('APPROVAL_PENDING');
    const [{ id } = { id: '' }] = await asking.open();
    await using allow = openOnTerminal(['approvals', 'allow', id], env());
    await allow.until('Let it run once? [y/N]');
    expect(allow.seen()).toContain('{"to":"Zoe"}');
    allow.type('y\n');
    await allow.until('bank.pay for local may run once.');
    expect(await pay('{"to":"Zoe"}')).toBeUndefined();
  });
});
