/** The end of the gateway that the other files have used: this file runs last. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startMcpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { errorIn, ownerEnv, watchModel } from '../kit/openclaw/order.ts';
import { configBefore, listedServers, PLUGIN_ID } from '../kit/openclaw/plugin.ts';
import { endIfSame, eventually, isSame } from '../kit/processes.ts';

const address = inject('openclaw');
const host = openHost(address);
const { profile } = host;
/** A bound for a start of the host, or several of its commands, on a busy machine. */
const SLOW_MS = 300_000;

test(
  'a gateway that is killed while its agent works is an error of the call, and the next is answered',
  async () => {
    await using server = await startMcpServer(ownerEnv(profile));
    const model = watchModel(address);
    const sessionKey = crypto.randomUUID();
    const order = server.order(`hold:${sessionKey}`, { sessionKey });
    await model.whenHeld(sessionKey);
    const gateway = host.gateway();
    const below = gateway.tree();
    process.kill(gateway.pid, 'SIGKILL');
    await eventually(() => !gateway.isRunning());
    for (const each of below) endIfSame(each);
    await model.release(sessionKey);
    await host.startGateway();
    expect(errorIn(await order)).toMatch(/^Error: .*restarted while its agent was working.*sessionKey/s);
    expect(await server.ask('and now?')).toBe('echo: and now?');
  },
  SLOW_MS,
);

test('a gateway that is asked to stop leaves no process behind', async () => {
  const gateway = host.gateway();
  const below = gateway.tree();
  expect(below).not.toEqual([]);
  expect(await gateway.stop()).toBe(true);
  const left = () => below.filter(isSame);
  await eventually(() => left().length === 0, 60_000);
  expect(left()).toEqual([]);
});

test(
  'eject and uninstall leave the configuration as it was, but for the note that the plugin is off',
  async () => {
    const before = configBefore(profile);
    expect(Object.keys(listedServers(profile)).length).toBeGreaterThan(1);
    expect(await host.openclawOk(['pincer', 'eject'])).toContain('Taken out of mcp.servers: ');
    expect({ mcp: profile.readConfig()['mcp'] }).toEqual({ mcp: before['mcp'] });
    await host.openclawOk(['plugins', 'uninstall', PLUGIN_ID, '--force']);
    // The host keeps its own version in `meta`.
    const plugins = { entries: { [PLUGIN_ID]: { enabled: false } } };
    expect({ ...profile.readConfig(), meta: undefined }).toEqual({ ...before, plugins });
    expect(existsSync(join(profile.state, 'extensions', PLUGIN_ID))).toBe(false);
  },
  SLOW_MS,
);
