/** Calls that need an approval: through the control API, on the desktop, and in the client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAskingHub, type AskingHub } from '../kit/approvals.ts';
import { startDesktop } from '../kit/desktop.ts';
import { startHub } from '../kit/hub.ts';
import { callText, INITIALIZE, INITIALIZED, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import type { Era } from '../servers/flags.ts';
import { verifies } from '../verifies.ts';

const ERAS: Era[] = ['legacy', 'modern'];

interface Person extends AsyncDisposable {
  client: Client;
  asked: string[];
}

/** An SDK client whose person answers every question like this. */
async function connect(
  { hub }: AskingHub,
  era: Era,
  { token = hub.token, action }: { token?: string; action?: 'accept' | 'decline' | 'cancel' } = {},
): Promise<Person> {
  const client = new Client(
    { name: 'approvals-test', version: '1.0.0' },
    {
      capabilities: action === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const asked: string[] = [];
  if (action !== undefined)
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url), { requestInit }));
  return { client, asked, [Symbol.asyncDispose]: () => client.close() };
}

const pay = async (
  { client }: Person,
  args: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<string> => {
  const { content } = await client.callTool({ name: 'bank__pay', arguments: args }, signal && { signal });
  return (content[0] as { text: string }).text;
};

describe.each(ERAS)('an SDK client of the %s era, with a person at hand', (era) => {
  let asking: AskingHub;
  beforeAll(async () => {
    asking = await startAskingHub();
  });
  afterAll(() => asking[Symbol.asyncDispose]());

  it('waits until the call is allowed, then runs it once', async () => {
    verifies('004-17-approval', '004-17-write-default');
    await using person = await connect(asking, era);
    const paid = pay(person, { to: 'Ann', apiKey: 'hush' });
    const [question] = await asking.open();
    expect(question).toMatchObject({
      caller: 'local',
      server: 'bank',
      tool: 'pay',
      arguments: '{"to":"Ann","apiKey":"hush"}',
      state: 'open',
    });
    expect(asking.ran()).toEqual([]);
    expect(await asking.decide(question!.id.slice(0, 6), 'allowed')).toMatchObject({
      status: 200,
      value: { id: question!.id, state: 'allowed' },
    });
    expect(await paid).toBe('paid');
    expect(asking.ran()).toEqual([{ to: 'Ann', apiKey: 'hush' }]);
    expect(await asking.list()).toEqual([]);
    expect((await asking.decide(question!.id, 'allowed')).status).toBe(422);
  });

  it('learns that the call was denied, and is not asked again for a while', async () => {
    verifies('004-17-approval');
    await using person = await connect(asking, era);
    const before = asking.ran().length;
    const paid = expect(pay(person, { to: 'Bob' })).rejects.toThrow('A person has denied bank.pay');
    const [question] = await asking.open();
    await asking.decide(question!.id, 'denied');
    await paid;
    await expect(pay(person, { to: 'Bob' })).rejects.toThrow('A person has denied bank.pay');
    expect(asking.ran()).toHaveLength(before);
  });

  it('withdraws the approval by cancelling', async () => {
    await using person = await connect(asking, era);
    const before = asking.ran().length;
    const enough = new AbortController();
    const paid = expect(pay(person, { to: 'Cid' }, enough.signal)).rejects.toThrow();
    const [question] = await asking.open();
    enough.abort();
    await paid;
    await asking.open(0);
    expect((await asking.decide(question!.id, 'allowed')).status).toBe(422);
    expect(asking.ran()).toHaveLength(before);
  });

  it.each([
    ['accept', 'paid'],
    ['decline', 'A person has denied bank.pay'],
  ] as const)('with a credential that may approve, is asked itself: %s', async (action, expected) => {
    const token = await asking.token(`${era}-${action}`, { approve: true });
    await using person = await connect(asking, era, { token, action });
    const before = asking.ran().length;
    const said = await pay(person, { to: 'Dan', note: 'x"\nServer: "other' }).catch((error: unknown) =>
      String(error),
    );
    expect(said).toContain(expected);
    expect(asking.ran()).toHaveLength(before + (action === 'accept' ? 1 : 0));
    expect(person.asked).toHaveLength(1);
    expect(person.asked[0]!.split('\n')).toEqual([
      'Pincer: may this call run, once?',
      'Server: "bank"',
      'Tool: "pay"',
      String.raw`Arguments: {"to":"Dan","note":"x\"\nServer: \"other"}`,
      `Asked for by: "${era}-${action}"`,
    ]);
  });

  it('with a credential that may approve, leaves the decision to others by cancelling the question', async () => {
    const token = await asking.token(`${era}-cancel`, { approve: true });
    await using person = await connect(asking, era, { token, action: 'cancel' });
    const paid = pay(person, { to: 'Eve' });
    expect(await eventually(() => person.asked.length === 1)).toBe(true);
    const [question] = await asking.open();
    await asking.decide(question!.id, 'allowed');
    expect(await paid).toBe('paid');
    expect(person.asked).toHaveLength(1);
  });

  it('without such a credential is not asked, even if it supports questions', async () => {
    await using person = await connect(asking, era, { action: 'accept' });
    const paid = expect(pay(person, { to: 'Fay' })).rejects.toThrow('denied');
    const [question] = await asking.open();
    await asking.decide(question!.id, 'denied');
    await paid;
    expect(person.asked).toEqual([]);
  });
});

describe('without a person at hand', () => {
  let asking: AskingHub;
  beforeAll(async () => {
    asking = await startAskingHub({ approvalWaitMs: 300 });
  });
  afterAll(() => asking[Symbol.asyncDispose]());

  it.each(ERAS)(
    'the approval stays open, and the call runs once when it is repeated: %s era',
    async (era) => {
      await using person = await connect(asking, era);
      const before = asking.ran().length;
      const args = { to: era };
      const refused = await pay(person, args).catch((error: unknown) => String(error));
      const id = /`pincer approvals allow (\w+)`/.exec(refused)?.[1];
      expect(await asking.list()).toContainEqual(expect.objectContaining({ id, state: 'open' }));
      await asking.decide(id!, 'allowed');
      expect(asking.ran()).toHaveLength(before);
      expect(await asking.list()).toContainEqual(expect.objectContaining({ id, state: 'allowed' }));
      expect(await pay(person, args)).toBe('paid');
      await expect(pay(person, args)).rejects.toThrow('needs the approval of a person');
      expect(asking.ran()).toHaveLength(before + 1);
      const [again] = await asking.open();
      await asking.decide(again!.id, 'denied');
    },
  );

  it('allowing a call of one caller allows neither the same call of another caller nor another call', async () => {
    const call = async (token: string, args: string): Promise<unknown> => {
      await using connection = asking.hub.connect(token);
      const { messages } = await connection.post(callText('bank__pay', { args }));
      return parseAnswer(messages.at(-1)!).error?.data?.['code'] ?? 'ran';
    };
    const [one, other] = [await asking.token('one'), await asking.token('other')];
    expect(await call(one, '{"to":"Gus","n":1}')).toBe('APPROVAL_PENDING');
    const [question] = await asking.open();
    await asking.decide(question!.id, 'allowed');
    expect(await call(other, '{"to":"Gus","n":1}')).toBe('APPROVAL_PENDING');
    expect(await call(one, '{"to":"Gus","n":2}')).toBe('APPROVAL_PENDING');
    expect(await call(one, '{"to":"Gus","n":1,"n":2}')).toBe('APPROVAL_PENDING');
    expect(await call(one, '{ "n": 1, "to": "\\u0047us" }')).toBe('ran');
    expect(await call(one, '{"to":"Gus","n":1}')).toBe('APPROVAL_PENDING');
    expect(asking.ran().at(-1)).toEqual({ to: 'Gus', n: 1 });
  });
});

it.each(ERAS)('call_tool needs the approval of the tool that it calls: %s era', async (era) => {
  await using asking = await startAskingHub({}, { config: { toolSurface: 'search' } });
  const token = await asking.token('searching', { approve: true });
  await using person = await connect(asking, era, { token, action: 'accept' });
  const name = 'bank__pay';
  await person.client.callTool({ name: 'call_tool', arguments: { name, arguments: { to: 'Kim' } } });
  expect(asking.ran()).toEqual([{ to: 'Kim' }]);
  expect(person.asked).toHaveLength(1);
  expect(person.asked[0]).toContain('Tool: "pay"\nArguments: {"to":"Kim"}');
});

describe('waiting calls', () => {
  it('hold no slot, and end when their credential is revoked', async () => {
    await using asking = await startAskingHub({ maxCallsPerCredential: 2 });
    const { hub } = asking;
    const token = await asking.token('many');
    const connections = Array.from({ length: 3 }, () => hub.connect(token));
    const waiting = connections.map((connection, at) =>
      connection.post(callText('bank__pay', { args: `{"at":${at}}` })).catch(() => undefined),
    );
    // Two calls have released their slots; the third holds one, and one is free.
    const open = await asking.open(3);
    await using free = hub.connect(token);
    const list = await free.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(list.status).toBe(200);
    await asking.decide(open.find(({ arguments: shown }) => shown === '{"at":0}')!.id, 'allowed');
    expect(textOf(parseAnswer((await waiting[0])!.messages.at(-1)!))).toBe('paid');
    await hub.control('DELETE', 'tokens?name=many');
    for (const { id, arguments: shown } of open) if (shown !== '{"at":0}') await asking.decide(id, 'allowed');
    await Promise.all(waiting);
    expect(asking.ran()).toEqual([{ at: 0 }]);
  });

  it('keep their approvals across a restart', async () => {
    await using asking = await startAskingHub();
    const { hub } = asking;
    const waiting = hub.connect().post(callText('bank__pay', { args: '{"to":"Hal"}' }));
    const [question] = await asking.open();
    expect(await hub.stop()).toBe(0);
    const { error } = parseAnswer((await waiting).messages.at(-1)!);
    expect(error).toMatchObject({
      code: -32010,
      data: { code: 'APPROVAL_PENDING', outcome: 'not_executed' },
    });
    await using next = await startHub({ home: hub.home });
    const listed = await next.control('GET', 'approvals');
    expect(listed.value).toEqual([question]);
    await next.control('POST', 'approvals', { id: question!.id, decision: 'allowed' });
    expect(textOf(await next.call('bank__pay', { to: 'Hal' }))).toBe('paid');
    expect(asking.ran()).toEqual([{ to: 'Hal' }]);
    await next.kill9();
    await using last = await startHub({ home: hub.home });
    expect((await last.control('GET', 'approvals')).value).toEqual([]);
  });

  it('of a pipe wait as well, and are cancelled when it breaks', async () => {
    await using asking = await startAskingHub();
    const stdio = asking.hub.stdio();
    stdio.send(INITIALIZE);
    stdio.send(INITIALIZED);
    const paid = stdio.ask(callText('bank__pay', { args: '{"to":"Ina"}' }));
    const [question] = await asking.open();
    await asking.decide(question!.id, 'allowed');
    expect(textOf(parseAnswer(await paid))).toBe('paid');
    stdio.send(callText('bank__pay', { id: '2', args: '{"to":"Jim"}' }));
    await asking.open();
    await stdio[Symbol.asyncDispose]();
    await asking.open(0);
    expect(asking.ran()).toEqual([{ to: 'Ina' }]);
  });
});

describe('a desktop notification', () => {
  it('shows the caller and the call, as plain text', async () => {
    await using desktop = await startDesktop();
    await using asking = await startAskingHub({ approvalWaitMs: 100 }, { env: desktop.env });
    const args = '{"to":"--icon=/etc/passwd <b>$(id)</b>","token":"hush"}';
    await asking.hub.connect().post(callText('bank__pay', { args }));
    expect(await eventually(() => desktop.shown().includes('id: '))).toBe(true);
    const [question] = await asking.open();
    const shown = desktop.shown();
    expect(shown).toContain("appname: 'Pincer'");
    expect(shown).toContain("summary: 'Pincer: may bank.pay run?'");
    expect(shown).toContain(
      'local calls it with {"to":"--icon=/etc/passwd &lt;b&gt;$(id)&lt;/b&gt;","token":"[redacted, 4 characters]"}',
    );
    expect(shown).toContain(`pincer approvals show ${question!.id}`);
    expect(shown).toContain("icon: 'dialog-information'");
    expect(shown).not.toContain('hush');
  });

  it('is not shown if the configuration turns it off', async () => {
    await using desktop = await startDesktop();
    const config = { policy: { notify: false }, debug: true };
    await using asking = await startAskingHub({ approvalWaitMs: 100 }, { env: desktop.env, config });
    await asking.hub.connect().post(callText('bank__pay', { args: '{}' }));
    expect(asking.hub.stderr()).toContain('a call waits for an approval');
    desktop.show('the only one');
    expect(await eventually(() => desktop.shown().includes('the only one'))).toBe(true);
    expect(desktop.shown()).not.toContain('Pincer');
  });
});
