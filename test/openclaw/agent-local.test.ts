/**
 * Orders that OpenClaw runs by itself, where there is no gateway. Each of them takes a quarter of a minute. In a deep run
 * the gateway of the other files meanwhile works on a tool that takes longer than a minute.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import type { Backend, OrderEnd } from '../../packages/hub/src/agent/backend.ts';
import { sessionKeyFor } from '../../packages/hub/src/agent/orders.ts';
import { createLocalBackend } from '../../packages/hub/src/agent/local/backend.ts';
import { isDeep } from '../kit/depth.ts';
import { freePort } from '../kit/free-port.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { askedOf, startScriptedModel } from '../kit/openclaw/model.ts';
import type { Turn } from '../kit/openclaw/operator.ts';
import { makeProfile, type Profile } from '../kit/openclaw/profile.ts';
import { eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { OPENCLAW } from './install.ts';

const started = new AsyncDisposableStack();
let profile: Profile;
let modelUrl: string;
let backend: Backend;
let slow: Promise<Turn>;

const host = openHost(inject('openclaw'));

const backendOf = (env: Profile['env']): Backend =>
  createLocalBackend({ env, limits: DEFAULT_LIMITS, command: [process.execPath, OPENCLAW] });

/** A second agent, whose model is not there. */
function addBroken({ readConfig, writeConfig, folder }: Profile): void {
  const config = readConfig() as { models: { providers: Record<string, object> }; agents: object };
  const { providers } = config.models;
  providers['broken'] = { ...providers['scripted'], baseUrl: `${modelUrl}/nowhere` };
  const broken = { id: 'broken', model: 'broken/scripted', workspace: join(folder, 'workspace-of-broken') };
  writeConfig({ ...config, agents: { ...config.agents, list: [{ id: 'main', default: true }, broken] } });
}

beforeAll(async () => {
  if (isDeep) {
    const operator = started.use(await host.operator());
    const seconds = '{"duration":62,"steps":5}';
    slow = operator.turn('agent:main:slow', `call:everything__trigger-long-running-operation ${seconds}`);
    // The test that waits for it says so.
    slow.catch(() => undefined);
  }
  const { path } = started.use(temporaryFolder('agent-local'));
  modelUrl = started.use(await startScriptedModel()).url;
  profile = makeProfile(path, { port: await freePort(), modelUrl });
  addBroken(profile);
  backend = backendOf(profile.env);
  started.defer(() => backend.close());
});
afterAll(() => started.disposeAsync());

interface Asking {
  key?: string;
  agentId?: string;
  signal?: AbortSignal;
}

const order = (message: string, { key = crypto.randomUUID(), agentId, signal }: Asking = {}) =>
  backend.run(
    {
      message,
      sessionKey: sessionKeyFor({ caller: 'agent-local', key, agentId }),
      attachments: [],
      agentId,
      commands: false,
    },
    { signal: signal ?? new AbortController().signal, onProgress: () => undefined },
  );

const textOf = (end: OrderEnd): string => (end.kind === 'answered' ? end.text : JSON.stringify(end));

/** Processes that were started in the profile. */
const processes = (): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(profile.state);
    } catch {
      return false;
    }
  });

test('a message arrives as it was written, and the answer with its file', async () => {
  writeFileSync(join(profile.workspace, 'note.md'), '# Grüße');
  const message = '\u{feff}  /new Grüße e\u0301 \u0000 🦞\r\nMEDIA:./note.md';
  const end = await order(message, { key: 'remembered' });
  expect(end).toMatchObject({
    kind: 'answered',
    text: expect.stringContaining('Grüße e\u0301'),
    media: [{ mimeType: 'text/markdown', name: 'note.md', content: { bytes: Buffer.from('# Grüße') } }],
    remarks: [],
  });
  const [asked] = await askedOf(modelUrl, 'Grüße');
  expect(asked?.conversation[0]?.text).toContain(` UTC] ${message}`);
});

test('an order without a key knows nothing, and one that is taken back leaves no process behind', async () => {
  const caller = new AbortController();
  const [begun, late] = ['begun', 'late'].map((name) => join(profile.folder, name)) as [string, string];
  // It heeds no SIGTERM: OpenClaw by itself leaves such a command behind.
  const command = `trap '' TERM; touch ${begun}; sleep 600; sleep 600; touch ${late}`;
  const end = order(`call:exec ${JSON.stringify({ command })}`, { signal: caller.signal });
  expect(await eventually(() => existsSync(begun), 120_000)).toBe(true);
  const [asked] = await askedOf(modelUrl, begun);
  expect(asked?.conversation[0]?.text).toContain(begun);
  expect(JSON.stringify(asked?.conversation)).not.toContain('Grüße');
  expect(processes().length).toBeGreaterThan(2);
  caller.abort();
  expect(await end).toEqual({ kind: 'stopped', text: '' });
  expect(await eventually(() => processes().length === 0, 60_000)).toBe(true);
  expect(existsSync(late)).toBe(false);
});

test.runIf(isDeep)('the same key goes on with the conversation', async () => {
  expect(textOf(await order('What did I say?', { key: 'remembered' }))).toBe('echo: What did I say?');
  const [asked] = await askedOf(modelUrl, 'What did I say?');
  expect(asked?.conversation[0]?.text).toContain('Grüße');
});

test.runIf(isDeep)('a model that fails says so', async () => {
  expect(await order('Who am I?', { agentId: 'broken' })).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/./),
    hint: expect.stringContaining('openclaw doctor'),
  });
});

test('where a gateway runs, OpenClaw says so and runs nothing', async () => {
  const theirs = backendOf(host.profile.env);
  const message = `never ${crypto.randomUUID()}`;
  await expect(
    theirs.run(
      { message, sessionKey: 'mcp:x:y', attachments: [], agentId: undefined, commands: false },
      { signal: new AbortController().signal, onProgress: () => undefined },
    ),
  ).rejects.toMatchObject({ code: 'SERVER_BUSY', data: { reason: 'gateway' } });
});

test.runIf(isDeep)(
  'at the gateway, a tool that takes longer than a minute and tells its progress ends well',
  async () => {
    const { text, calls } = await slow;
    expect(text).toBe('RESULT(Long running operation completed. Duration: 62 seconds, Steps: 5.)');
    expect(calls[0]?.ms).toBeGreaterThan(60_000);
  },
);
