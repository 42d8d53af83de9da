/** Runs every shell block of docs/agent.md, with a fake gateway. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../packages/hub/src/config/load.ts';
import { parseConfigText } from '../../packages/hub/src/config/read-file.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { finalText, responseText, welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../kit/openclaw/fake-gateway.ts';

const page = openDocPage('agent.md');
const started = new AsyncDisposableStack();
let hub: DocHub;

beforeAll(async () => {
  await installClients();
  const gateway = started.use(
    await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id, method, params }) => {
        if (method !== 'chat.send') return [responseText(id, {})];
        const runId = (params as { idempotencyKey: string }).idempotencyKey;
        return [responseText(id, { runId, status: 'started' }), finalText(runId, 'Nothing today.')];
      },
    ),
  );
  hub = started.use(
    await openDocHub({
      programs: { claude: PROGRAMS.claude },
      config: { agent: { gatewayUrl: gateway.url } },
    }),
  );
}, INSTALL_MS + 60_000);
afterAll(() => started.disposeAsync());

it('sends an order from the command line', async () => {
  expect(await hub.run(page, 'pincer call agent.order_openclaw')).toBe('Nothing today.\n');
});

it('gives the tool alone to Claude Code', async () => {
  await hub.run(page, 'claude mcp add openclaw');
  expect(await hub.shell.run('claude mcp list')).toMatch(/^openclaw: .* ✔ Connected$/m);
});

it('has entries and settings that can be used', () => {
  expect(JSON.parse(page.take('json', 'mcp-server'))).toEqual({
    mcpServers: { openclaw: { command: 'pincer', args: ['mcp-server'] } },
  });
  const text = page.take('json5', 'transcription');
  expect(() => parseConfig(parseConfigText(text, 'page'), {}, 'page', () => 'secret')).not.toThrow();
});

it('has no other block', () => {
  expect(page.untaken()).toEqual([]);
});
