/** Runs every shell block of docs/openclaw.md and docs/clients/openclaw.md, in a new profile without a gateway. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { EVERYTHING } from '../clients/everything.ts';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { freePort } from '../kit/free-port.ts';
import { makeProfile, type Profile } from '../kit/openclaw/profile.ts';
import type { JsonObject } from '../servers/json.ts';
import { OPENCLAW } from './install.ts';

/** Nothing may be downloaded. */
const NO_REGISTRY = 'http://127.0.0.1:9/';

interface OpenClawHub {
  hub: DocHub;
  profile: Profile;
}

async function openOpenClaw(servers: object): Promise<OpenClawHub> {
  const hub = await openDocHub({
    programs: { openclaw: OPENCLAW },
    config: { servers: { everything: EVERYTHING } },
  });
  const { modelUrl } = inject('openclaw');
  const profile = makeProfile(hub.shell.folder, {
    port: await freePort(),
    modelUrl,
    config: { mcp: { servers } },
  });
  const { PATH: _path, ...env } = profile.env;
  Object.assign(hub.shell.env, env, { npm_config_registry: NO_REGISTRY });
  return { hub, profile };
}

let plugin: OpenClawHub;
let client: OpenClawHub;

beforeAll(async () => {
  plugin = await openOpenClaw({ time: EVERYTHING });
  client = await openOpenClaw({});
});
afterAll(async () => {
  for (const each of [plugin, client]) await each?.hub[Symbol.asyncDispose]();
});

// OpenClaw takes seconds to start: the two pages run at once.
test.concurrent('openclaw.md installs the plugin, imports servers and removes the plugin', async () => {
  const { hub, profile } = plugin;
  const page = openDocPage('openclaw.md');
  const entry = (): JsonObject | undefined =>
    (profile.readConfig()['plugins'] as { entries: Record<string, JsonObject> }).entries['mcp-client'];

  const install = hub.block(page, 'sh', 'pincer openclaw install');
  await hub.shell.run(install.replace('openclaw install', 'openclaw install --yes'));
  expect(entry()).toMatchObject({ enabled: true, hooks: { allowConversationAccess: true } });

  expect(await hub.run(page, 'pincer import openclaw')).toContain('1 server added.');
  expect(await hub.shell.run('pincer list')).toContain('time');
  expect(profile.readConfig()['mcp'] ?? {}).not.toMatchObject({ servers: { time: {} } });

  await hub.run(page, 'openclaw pincer eject');
  expect(entry()?.['enabled'] ?? false).toBe(false);

  // The manifest's test checks the example of the configuration.
  page.take('json5', 'mcp-client');
  page.take('xml', 'available-mcp-servers');
  page.take('text', 'openclaw plugins install');
  expect(page.untaken()).toEqual([]);
});

test.concurrent('clients/openclaw.md adds Pincer over HTTP and over stdio', async () => {
  const { hub, profile } = client;
  const page = openDocPage('clients/openclaw.md');
  const entry = (): JsonObject | undefined =>
    (profile.readConfig()['mcp'] as { servers: Record<string, JsonObject> }).servers['pincer'];
  await hub.run(page, 'openclaw mcp add pincer --url');
  expect(entry()).toMatchObject({ transport: 'streamable-http' });
  profile.writeConfig({ ...profile.readConfig(), mcp: { servers: {} } });
  await hub.run(page, 'openclaw mcp add pincer --command');
  expect(entry()).toMatchObject({ command: 'pincer', args: ['stdio'] });
  expect(page.untaken()).toEqual([]);
});
