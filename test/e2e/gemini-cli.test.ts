/** Gemini CLI lists and calls tools through the hub; its model is scripted on loopback. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ECHO, HEARD, SAID, startEverythingHub, type EverythingHub } from '../clients/everything-hub.ts';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { startModelEndpoint } from '../kit/model-endpoint.ts';
import { GEMINI_API } from '../kit/models/gemini-api.ts';

let hub: EverythingHub;

beforeAll(async () => {
  hub = await startEverythingHub();
}, INSTALL_MS + 60_000);

afterAll(() => hub?.[Symbol.asyncDispose]());

const inGemini = (name: string): string => `mcp_pincer_${name}`;

/** It connects to no server in an untrusted folder. It prints its lists on stderr. */
const gemini = (home: Home, args: readonly string[], env: Record<string, string> = {}): Promise<string> =>
  home.run('sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, PROGRAMS.gemini, ...args], {
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    ...env,
  });

it('gemini mcp connects over HTTP and over stdio', async () => {
  using home = makeHome();
  const add = (...args: string[]) => gemini(home, ['mcp', 'add', '--scope', 'user', ...args]);
  await add('--transport', 'http', 'web', hub.url, '--header', hub.bearer);
  await add('pipe', '-e', `PINCER_HOME=${hub.home}`, hub.pipe.command, ...hub.pipe.args);
  const listed = await gemini(home, ['mcp', 'list']);
  expect(listed).toContain(`✓ web: ${hub.url} (http) - Connected`);
  expect(listed).toMatch(/✓ pipe: .* \(stdio\) - Connected/);
});

it.each([
  ['HTTP', () => ({ httpUrl: hub.http.url, headers: hub.http.headers })],
  ['stdio', () => hub.pipe],
])('a turn over %s offers the tools to its model and calls one', async (_transport, entry) => {
  using home = makeHome();
  await using model = await startModelEndpoint(GEMINI_API, [
    { name: inGemini(ECHO), input: { message: SAID } },
  ]);
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    // Without a person, Gemini offers only trusted servers' tools to the model.
    mcpServers: { pincer: { ...entry(), trust: true } },
  };
  mkdirSync(join(home.folder, '.gemini'));
  writeFileSync(join(home.folder, '.gemini', 'settings.json'), JSON.stringify(settings));
  const printed = await gemini(home, ['--model', 'gemini-2.5-flash', '--prompt', 'say it'], {
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: model.url,
  });
  expect(printed).toContain(HEARD);
  const offered = [...model.offered].filter((name) => name.startsWith(inGemini(''))).sort();
  expect(offered).toEqual(hub.tools.map(inGemini));
});
