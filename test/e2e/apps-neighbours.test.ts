/** A session of an app does not harm other sessions, and a caller can read its answer to the end. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { callText, listText } from '../kit/messages.ts';
import { openBridge, resultFor } from '../kit/proxy/bridge.ts';
import { postMcp } from '../kit/proxy/mcp.ts';
import { OPENCLAW_TOKEN, startProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, deleteSession, EXAMPLE } from '../kit/proxy/sessions.ts';

const body = { ...EXAMPLE, tools: [anyTool('any')] };

it('an overloaded session takes no capacity from other sessions of its credential', async () => {
  await using proxy = await startProxy({
    limits: { appCredentialBurst: 20, appCredentialPerSecond: 1, appSessionBurst: 5, appSessionPerSecond: 1 },
  });
  const [noisy, quiet] = [await createSession(proxy.origin, body), await createSession(proxy.origin, body)];
  const ask = async (url: string): Promise<number> => (await postMcp(url, listText())).status;
  const told = await Promise.all(Array.from({ length: 100 }, () => ask(noisy.mcp_url)));
  expect(told).toContain(429);
  expect(await ask(quiet.mcp_url)).toBe(200);
});

it('a caller reads a long answer to its end, even if its app ends the session meanwhile', async () => {
  await using proxy = await startProxy();
  const { mcp_url, bridge_url, mcpSessionId } = await createSession(proxy.origin, body);
  await using bridge = await openBridge(bridge_url);
  const asked = request(mcp_url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OPENCLAW_TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  }).end(callText('any'));
  const long = 'x'.repeat(12_000_000);
  bridge.send(resultFor(await bridge.next('invoke_tool'), { long }));
  // Starts to read only after the session has ended.
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  await deleteSession(proxy.origin, mcpSessionId);
  expect(await bridge.closed).toMatchObject({ code: 4404 });
  await sleep(500);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(Number(response.headers['content-length']));
});
