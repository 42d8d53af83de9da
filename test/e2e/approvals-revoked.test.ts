/** A call that waits for an approval ends with its credential, on every surface. */
import { describe, expect, it } from 'vitest';
import { startAskingHub } from '../kit/approvals.ts';
import { callText, INITIALIZE, INITIALIZED, parseAnswer } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';

const BATCHES = '2025-03-26';

describe.each(['full', 'search', 'auto'])('with the tool surface %s', (toolSurface) => {
  it('holds no slot for a waiting call, and does not run it after its credential is revoked', async () => {
    await using asking = await startAskingHub({ maxCallsPerCredential: 1 }, { config: { toolSurface } });
    const { hub } = asking;
    const token = await asking.token('guest');
    const waiting = hub
      .connect(token)
      .post(callText('bank__pay'))
      .catch(() => undefined);
    const [question] = await asking.open();
    const { status } = await hub.connect(token).post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(status).toBe(200);
    await hub.control('DELETE', 'tokens?name=guest');
    await asking.decide(question!.id, 'allowed');
    await waiting;
    expect(asking.ran()).toEqual([]);
  });
});

describe('a batch', () => {
  const initialize = INITIALIZE.replace('2025-11-25', BATCHES);
  const calls = [1, 2].map((at) => callText('bank__pay', { id: String(at), args: `{"at":${at}}` }));

  it('over HTTP holds no slot while it waits, and runs nothing after its credential is revoked', async () => {
    await using asking = await startAskingHub({ maxCallsPerCredential: 1 });
    const { hub } = asking;
    const token = await asking.token('guest');
    const connection = hub.connect(token);
    const begun = await connection.post(initialize);
    const headers = {
      'mcp-session-id': String(begun.headers['mcp-session-id']),
      'mcp-protocol-version': BATCHES,
    };
    await connection.post(INITIALIZED, { headers });
    const waiting = connection.post(`[${calls.join(',')}]`, { headers }).catch(() => undefined);
    const [question] = await asking.open();
    const { status } = await hub.connect(token).post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(status).toBe(200);
    await hub.control('DELETE', 'tokens?name=guest');
    await asking.decide(question!.id, 'allowed');
    await waiting;
    expect(await asking.list()).toEqual([]);
    expect(asking.ran()).toEqual([]);
  });

  it('over a pipe completes with one approval for each call', async () => {
    await using asking = await startAskingHub({ maxCallsPerCredential: 1 });
    const stdio = asking.hub.stdio();
    stdio.send(initialize);
    stdio.send(INITIALIZED);
    const answered = stdio.take((line) => line.startsWith('['));
    stdio.send(`[${calls.join(',')}]`);
    for (const ran of [[], [{ at: 1 }]]) {
      const [question] = await asking.open();
      expect(asking.ran()).toEqual(ran);
      await asking.decide(question!.id, 'allowed');
      expect(await eventually(() => asking.ran().length > ran.length)).toBe(true);
    }
    const answers = JSON.parse(await answered) as object[];
    expect(answers.map((answer) => parseAnswer(JSON.stringify(answer)).error)).toEqual([
      undefined,
      undefined,
    ]);
  });
});
