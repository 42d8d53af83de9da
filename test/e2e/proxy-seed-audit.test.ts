/** The audit log of calls through the proxy. */
import { expect, it } from 'vitest';
import { eventually } from '../kit/processes.ts';
import { openBridge, resultFor } from '../kit/proxy/bridge.ts';
import { query } from '../kit/proxy/stored-sessions.ts';
import { callTool } from '../kit/proxy/mcp.ts';
import { startProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, EXAMPLE } from '../kit/proxy/sessions.ts';
import { verifies } from '../verifies.ts';

it('records each call with session, tool and outcome, for every kind of end', async () => {
  verifies('003-limits-audit');
  await using proxy = await startProxy();
  const tools = ['good', 'bad', 'lost', 'unheard'].map(anyTool);
  const {
    mcpSessionId: session,
    bridge_url,
    mcp_url,
  } = await createSession(proxy.origin, { ...EXAMPLE, tools });
  const bridge = await openBridge(bridge_url);
  const args = '{"password":"hunter2","path":"/tmp/ö"}';
  const good = callTool(mcp_url, 'good', args);
  bridge.send(resultFor(await bridge.next('invoke_tool'), { a: 1 }));
  await good;
  const bad = callTool(mcp_url, 'bad');
  bridge.send(resultFor(await bridge.next('invoke_tool'), undefined, { ok: false, error: 'no' }));
  await bad;
  const lost = callTool(mcp_url, 'lost');
  await bridge.next('invoke_tool');
  bridge.socket.terminate();
  await lost;
  await callTool(mcp_url, 'unheard');

  const columns =
    'session, method, tool, outcome, code, arguments, argument_bytes, answer_bytes, duration_ms';
  const rows = (): ReturnType<typeof query> =>
    query(proxy.home, `SELECT ${columns} FROM calls ORDER BY id`, 'calls.sqlite');
  const calls = (): ReturnType<typeof query> => rows().filter(({ method }) => method === 'tools/call');
  expect(await eventually(() => calls().length === 4)).toBe(true);
  expect(calls()).toMatchObject([
    { session, tool: 'good', outcome: 'ok', arguments: '{"password":"[redacted]","path":"/tmp/ö"}' },
    { session, tool: 'bad', outcome: 'tool_error' },
    { session, tool: 'lost', outcome: 'outcome_unknown', code: 'BRIDGE_LOST' },
    { session, tool: 'unheard', outcome: 'not_executed', code: 'BRIDGE_NOT_CONNECTED' },
  ]);
  for (const { duration_ms } of calls()) expect(duration_ms).toBeGreaterThanOrEqual(0);
  const [{ argument_bytes: asked, answer_bytes: answered } = {}] = calls();
  expect([asked, answered]).toEqual([Buffer.byteLength(args), expect.any(Number)]);
  // All rows belong to this session.
  expect(new Set(rows().map((row) => row['session']))).toEqual(new Set([session]));
});
