/** Official clients on each Node and Claude Code, configured as in the seed, reach the device. Web pages do not. */
import { readdirSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../clients/home.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { startBrowser, type Browser } from '../kit/browser.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { installedNodes } from '../kit/device/nodes.ts';
import { attempt, ATTEMPTS } from '../kit/device/page.ts';
import { callText } from '../kit/messages.ts';
import { startModelEndpoint } from '../kit/model-endpoint.ts';
import { MESSAGES_API } from '../kit/models/messages-api.ts';
import { servePage, type WebPage } from '../kit/web-page.ts';
import { verifies } from '../verifies.ts';

const SCRIPT = fileURLToPath(new URL('../kit/device/sdk-client.mjs', import.meta.url));

let hub: DeviceHub;
beforeAll(async () => {
  await installClients();
  hub = await startDevice();
}, INSTALL_MS + 60_000);
afterAll(() => hub?.[Symbol.asyncDispose]());

describe.each(installedNodes().map(({ version, path }) => [version, path] as const))(
  'on Node %s',
  (version, path) => {
    it.each([
      ['v1', undefined],
      ['v2-legacy', '2025-11-25'],
      ['v2-auto', '2026-07-28'],
      ['v2-pinned', '2026-07-28'],
    ])('SDK %s connects, lists and calls', async (library, agreed) => {
      verifies('000-summary-any-client');
      using home = makeHome();
      const talk = async (token: string): Promise<Record<string, unknown>> =>
        JSON.parse(await home.run(path, [SCRIPT, library, hub.root, token])) as Record<string, unknown>;
      const seen = await talk(hub.token);
      expect(seen).toMatchObject({
        node: version,
        server: { name: expect.any(String) as string },
        called: { structuredContent: { systemName: expect.any(String) as string } },
        // At this address, an unknown tool is a result.
        unknown: { isError: true },
      });
      if (agreed !== undefined) expect(seen['version']).toBe(agreed);
      expect(seen['tools']).toEqual(await hub.commands());
      expect(await talk('wrong')).toMatchObject({
        refused: expect.stringMatching(/401|Unauthorized/) as string,
      });
    });
  },
);

describe('Claude Code', () => {
  /** The seed's file, with the token. */
  const mcpJson = (): string =>
    JSON.stringify({
      mcpServers: {
        'openclaw-tray': {
          type: 'http',
          url: hub.root,
          headers: { Authorization: `Bearer ${hub.token}` },
        },
      },
    });

  it('lists and calls with the configuration of the seed', async () => {
    verifies('000-access-claude-code');
    using home = makeHome();
    const tool = 'mcp__openclaw-tray__device_info';
    await using model = await startModelEndpoint(MESSAGES_API, [{ name: tool, input: {} }]);
    writeFileSync(join(home.folder, '.mcp.json'), mcpJson());
    const args = ['-p', 'say it', '--mcp-config=.mcp.json', '--strict-mcp-config', `--allowedTools=${tool}`];
    const printed = await home.run(process.execPath, [PROGRAMS.claude, ...args], {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-none',
      ENABLE_TOOL_SEARCH: 'false',
    });
    expect(printed).toContain('systemName');
    const offered = [...model.offered].filter((name) => name.startsWith('mcp__openclaw-tray__'));
    expect(offered).toHaveLength((await hub.commands()).length);
  });
});

describe('a page in a real browser', () => {
  let browser: Browser;
  let page: WebPage;
  let marks: string;
  beforeAll(async () => {
    marks = join(hub.folder, 'marks');
    mkdirSync(marks);
    browser = await startBrowser(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
    page = await servePage('<!doctype html><title>A page</title><body>Hello</body>');
  });
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const callOf = (mark: string): string =>
    callText('system.run', { args: JSON.stringify({ command: ['touch', join(marks, mark)] }) });

  const refused = async (): Promise<number> => {
    const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
    return Number(/^pincer_requests_rejected_total\{status="403"\} (\d+)$/m.exec(body)?.[1] ?? 0);
  };

  it('control: the same call by a program leaves a mark', async () => {
    await hub.ask(callOf('control'));
    expect(readdirSync(marks)).toEqual(['control']);
  });

  it.each(['127.0.0.1', 'localhost', 'evil.example'])(
    'on %s reaches nothing and reads nothing',
    async (name) => {
      verifies('000-security-browser-page');
      const before = await refused();
      const tab = await browser.open(page.url.replace('127.0.0.1', name));
      await tab.until(`document.readyState === 'complete'`);
      for (const target of ['127.0.0.1', 'localhost', 'evil.example'])
        for (const [what, expression] of Object.entries(ATTEMPTS)) {
          const url = hub.root.replace('127.0.0.1', target);
          const call = callOf(`${name} to ${target} ${what}`.replaceAll(' ', '-'));
          const read = await tab.ask<string>(attempt({ expression, url, call, token: hub.token }));
          expect([what, read]).toEqual([what, '']);
        }
      // Most of the attempts have reached the listener.
      expect((await refused()) - before).toBeGreaterThan(2 * Object.keys(ATTEMPTS).length);
      expect(readdirSync(marks)).toEqual(['control']);
    },
  );

  it('that was rebound to this machine reads only a refusal', async () => {
    const tab = await browser.open(hub.root.replace('127.0.0.1', 'evil.example'));
    await tab.until(`document.readyState === 'complete'`);
    expect(await tab.ask<string>('document.body.innerText')).toContain('Host');
    const read = await tab.ask<string>(
      attempt({
        expression: ATTEMPTS['fetch of JSON with the token']!,
        url: hub.root.replace('127.0.0.1', 'evil.example'),
        call: callOf('rebound'),
        token: hub.token,
      }),
    );
    expect(read).not.toContain('jsonrpc');
    expect(readdirSync(marks)).toEqual(['control']);
  });
});
