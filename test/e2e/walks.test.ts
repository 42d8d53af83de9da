/** The files that each kind of call passes through are those listed in ARCHITECTURE.md under "Four walks". */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowPrograms } from '../kit/device/policy.ts';
import { readHubFile, startHub, type TestHub } from '../kit/hub.ts';
import { finalText, responseText, welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../kit/openclaw/fake-gateway.ts';
import { callTool } from '../kit/proxy/mcp.ts';
import { appConfig, openApp, tokenOf, type ConnectedApp } from '../kit/proxy/on-hub.ts';
import { ECHO_TEXT } from '../kit/proxy/sessions.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { attachTracer, type Tracer } from '../kit/trace.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'packages', 'hub', 'dist');
/** More files than a reader can follow. */
const MOST_FILES = 20;

const started = new AsyncDisposableStack();
let hub: TestHub;
let tracer: Tracer;
let app: ConnectedApp;

beforeAll(async () => {
  const gateway = started.use(
    await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id, method, params }) => {
        if (method !== 'chat.send') return [responseText(id, {})];
        const runId = (params as { idempotencyKey: string }).idempotencyKey;
        return [responseText(id, { runId, status: 'started' }), finalText(runId, 'done')];
      },
    ),
  );
  const home = started.use(temporaryFolder('walks')).path;
  allowPrograms(home);
  hub = started.use(
    await startHub({
      home,
      servers: { fx: stdioServer() },
      config: {
        device: {},
        agent: { gatewayUrl: gateway.url },
        proxy: { port: 0, apps: [appConfig('notes')] },
      },
      nodeArgs: ['--inspect=127.0.0.1:0'],
      entry: join(DIST, 'cli', 'main.js'),
    }),
  );
  const [, inspector = ''] = /Debugger listening on (ws:\S+)/.exec(hub.stderr()) ?? [];
  tracer = started.use(await attachTracer(inspector, DIST));
  const { proxy } = readHubFile(home)!['endpoints'] as { proxy: string };
  app = started.use(await openApp({ origin: new URL(proxy).origin } as never, [ECHO_TEXT]));
}, 60_000);
afterAll(() => started.disposeAsync());

/** The numbered list under this heading of ARCHITECTURE.md. */
function documented(title: string): string[] {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = page.split(`\n### ${title}\n`);
  const [own = ''] = section.split('\n#');
  return [...own.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!).toSorted();
}

it.each<[title: string, call: () => Promise<unknown>]>([
  ['A tool of a server', () => hub.call('fx__echo', { message: 'hi' })],
  [
    'A function of an app',
    () => callTool(app.mcpUrl, 'echo_text', { text: 'hi' }, { token: tokenOf('notes') }),
  ],
  ['A program on this machine', () => hub.call('device__system_run', { command: ['true'] })],
  ['An order for OpenClaw', () => hub.call('order_openclaw', { message: 'hi' })],
])('%s', async (title, call) => {
  expect(JSON.stringify(await call())).not.toMatch(/"error"|"isError":true/);
  const { passed, used } = await tracer.walkOf(call);
  console.log(`${title}: passes ${passed.length} files, runs code in ${used.length}\n${passed.join('\n')}`);
  expect(documented(title)).toEqual(passed.toSorted());
  expect(passed.length).toBeLessThanOrEqual(MOST_FILES);
});
