/** Seed 000, "Authentication" and "Settings model": the token, the port, the two modes, the settings of the Windows app. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { runUp, typeUp, type Up } from '../kit/device/up.ts';
import { freePort } from '../kit/free-port.ts';
import { request } from '../kit/messages.ts';
import { welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../kit/openclaw/fake-gateway.ts';
import { eventually } from '../kit/processes.ts';
import { listTools } from '../kit/proxy/mcp.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { verifies } from '../verifies.ts';

const FREE = { device: { port: 0 } };
const tokenOf = ({ cli }: Up): string => readFileSync(join(cli.path, 'mcp-token.txt'), 'utf8');

async function post(up: Up, path: string, token = tokenOf(up)): Promise<number> {
  const response = await fetch(`${up.origin}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: request('ping'),
  });
  await response.text();
  return response.status;
}

describe('the token', () => {
  it('is created at the first start, readable only by its owner, and kept', async () => {
    verifies(
      '000-auth-token-form',
      '000-auth-token-private',
      '000-auth-token-lazy',
      '000-auth-token-persistent',
    );
    await using cli = openCliHome();
    const first = await typeUp({ config: FREE }, cli);
    const token = tokenOf(first);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(statSync(join(cli.path, 'mcp-token.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(cli.path).mode & 0o777).toBe(0o700);
    expect(await post(first, '/')).toBe(200);
    await first.stop();
    const second = await runUp(cli);
    expect(tokenOf(second)).toBe(token);
    expect(await post(second, '/')).toBe(200);
  });

  it('is shown only by its path', async () => {
    verifies('000-auth-path-shown', '000-settings-default');
    await using up = await typeUp({ config: FREE });
    expect(await eventually(() => up.started.stdout().includes('mcp-token.txt'))).toBe(true);
    expect(up.started.stdout()).toContain(join(up.cli.path, 'mcp-token.txt'));
    const { stdout, stderr } = await up.stop();
    expect(stdout + stderr).not.toContain(tokenOf(up));
  });

  it('is created again if its file is empty or missing', async () => {
    verifies('000-auth-token-regenerated');
    await using cli = openCliHome();
    const file = join(cli.path, 'mcp-token.txt');
    const first = await typeUp({ config: FREE }, cli);
    const token = tokenOf(first);
    await first.stop();
    for (const lose of [
      () => writeFileSync(file, ''),
      () => writeFileSync(file, ' \n'),
      () => rmSync(file),
    ]) {
      lose();
      const next = await runUp(cli);
      expect(tokenOf(next)).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(tokenOf(next)).not.toBe(token);
      expect([await post(next, '/'), await post(next, '/', token)]).toEqual([200, 401]);
      await next.stop();
    }
  });

  it('fails and leaves the file alone if it cannot be read', async () => {
    await using cli = openCliHome();
    mkdirSync(join(cli.path, 'mcp-token.txt'));
    const up = await typeUp({ config: FREE }, cli);
    expect(up.origin).toBeUndefined();
    const { code, stderr } = await up.ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain('mcp-token.txt');
    expect(statSync(join(cli.path, 'mcp-token.txt')).isDirectory()).toBe(true);
  });
});

describe('the port', () => {
  it('is taken from OPENCLAW_MCP_PORT, then from the configuration', async () => {
    verifies('000-deferred-port-setting');
    const [ours, other] = [await freePort(), await freePort()];
    const config = { device: { port: other } };
    await using cli = openCliHome();
    const byVariable = await typeUp({ config, env: { OPENCLAW_MCP_PORT: String(ours) } }, cli);
    expect(byVariable.origin).toBe(`http://127.0.0.1:${ours}`);
    expect(await post(byVariable, '/')).toBe(200);
    await byVariable.stop();
    expect((await runUp(cli)).origin).toBe(`http://127.0.0.1:${other}`);
  });

  it('is a free one for 0, which is printed and recorded', async () => {
    await using up = await typeUp({ config: FREE });
    const { port } = new URL(up.origin!);
    expect(Number(port)).toBeGreaterThan(0);
    expect(await eventually(() => up.started.stdout().includes(`http://127.0.0.1:${port}/`))).toBe(true);
  });

  it('is 8765 by default; a busy port is an error that names it and the setting', async () => {
    verifies('000-deferred-port-busy', '000-deferred-port-setting', '000-summary-endpoint');
    const holder = createServer().listen(8765, '127.0.0.1');
    // Another program may already hold the port.
    const isOurs = await Promise.race([
      once(holder, 'listening').then(() => true),
      once(holder, 'error').then(() => false),
    ]);
    try {
      await using up = await typeUp();
      expect(up.origin).toBeUndefined();
      const { code, stderr } = await up.ended;
      expect(code).not.toBe(0);
      expect(stderr).toContain('8765');
      expect(stderr).toContain('device.port');
    } finally {
      holder.close();
    }
    if (!isOurs) return;
    await once(holder, 'close');
    await using up = await typeUp();
    expect(up.origin).toBe('http://127.0.0.1:8765');
    const tools = await listTools('http://127.0.0.1:8765/', { token: tokenOf(up) });
    expect(tools.map(({ name }) => name)).toContain('device.info');
  });
});

describe('node mode and MCP mode', () => {
  const startGateway = (): Promise<HandGateway> => openHandGateway((id) => [welcomeText(id)]);
  const nodesOf = ({ requests }: HandGateway): { commands: string[]; caps: string[]; role: string }[] =>
    requests
      .filter(({ method }) => method === 'connect')
      .map(({ params }) => params as { commands: string[]; caps: string[]; role: string });

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('node %s, MCP %s', async (nodeMode, mcpServer) => {
    verifies('000-settings-off-off', '000-settings-off-on', '000-settings-on-off', '000-settings-on-on');
    await using gateway = await startGateway();
    const device = { port: 0, nodeMode, mcpServer, gatewayUrl: gateway.url };
    await using up = await typeUp({ config: { device } });
    expect([await post(up, '/'), await post(up, '/', 'wrong')]).toEqual([mcpServer ? 200 : 404, 401]);
    expect(await post(up, '/mcp')).toBe(200);
    if (nodeMode) {
      verifies('000-registry-gateway-announce');
      expect(await eventually(() => nodesOf(gateway).length > 0)).toBe(true);
      const [node] = nodesOf(gateway);
      expect(node?.role).toBe('node');
      expect(node?.commands).toEqual(expect.arrayContaining(['system.run', 'system.which', 'device.info']));
      // Off until the person enables them. The `app` commands are for MCP only.
      expect(
        node?.commands.filter((name) => /^(?:screen|camera|location|clipboard|app)\./.test(name)),
      ).toEqual([]);
      expect(node?.caps).toEqual(expect.arrayContaining(['system', 'device']));
    }
    await up.stop();
    expect(nodesOf(gateway).length > 0).toBe(nodeMode);
  });

  it('offers every tool without a reachable gateway', async () => {
    verifies('000-summary-no-gateway', '000-goals-local-first');
    const gatewayUrl = `ws://127.0.0.1:${await freePort()}`;
    await using away = await typeUp({ config: { device: { port: 0, nodeMode: true, gatewayUrl } } });
    await using without = await typeUp({ config: FREE });
    const [names, others] = await Promise.all(
      [away, without].map(async (up) =>
        (await listTools(`${up.origin}/`, { token: tokenOf(up) })).map(({ name }) => name),
      ),
    );
    expect(names).toContain('device.info');
    expect(names).toEqual(others);
  });
});

describe('settings.json of the Windows app', () => {
  const seen = async (
    settings: object,
    config: object = FREE,
  ): Promise<{ root: number; text: string; up: Up }> => {
    using folder = temporaryFolder('tray');
    const file = join(folder.path, 'settings.json');
    const text = `${JSON.stringify(settings, null, 2)}\r\n`;
    writeFileSync(file, text);
    const cli = openCliHome();
    const env = { OPENCLAW_TRAY_DATA_DIR: folder.path };
    const up = await typeUp({ config, env }, cli);
    const root = await post(up, '/');
    expect(readFileSync(file, 'utf8')).toBe(text);
    // Later changes of the file have no effect.
    await up.stop();
    writeFileSync(file, JSON.stringify({ EnableMcpServer: root !== 200 }));
    const again = await runUp(cli, env);
    expect(await post(again, '/')).toBe(root);
    return { root, text: readFileSync(join(cli.path, 'config.json'), 'utf8'), up: again };
  };

  it('disables the endpoint, once', async () => {
    verifies('000-settings-windows-toggles', '000-settings-legacy-not-written');
    const { root, text, up } = await seen({
      EnableMcpServer: false,
      EnableNodeMode: false,
      Token: 'secret-of-the-app',
    });
    await using _ = up;
    expect(root).toBe(404);
    expect(text).not.toContain('secret-of-the-app');
  });

  it('McpOnlyMode means the endpoint without a node, and is never written', async () => {
    verifies('000-settings-legacy-mcp-only');
    const { root, text, up } = await seen({
      McpOnlyMode: true,
      EnableMcpServer: false,
      EnableNodeMode: true,
    });
    await using _ = up;
    expect(root).toBe(200);
    expect(text).not.toContain('McpOnlyMode');
  });

  it('does not override the configuration', async () => {
    const { root, up } = await seen({ EnableMcpServer: false }, { device: { port: 0, mcpServer: true } });
    await using _ = up;
    expect(root).toBe(200);
  });
});
