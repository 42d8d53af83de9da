/** The end of the gateway that the other files have used: this file runs last. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { startMcpServer } from '../kit/mcp-server.ts';
import { atDepth, isDeep } from '../kit/depth.ts';
import { patchConfig, whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { errorIn, ownerEnv, watchModel } from '../kit/openclaw/order.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { configBefore, listedServers, memberOf, PLUGIN_ID, whenListed } from '../kit/openclaw/plugin.ts';
import { endIfSame, eventually, isSame } from '../kit/processes.ts';
import { httpServer } from '../kit/servers.ts';
import type { JsonObject } from '../servers/json.ts';
import { verifies } from '../verifies.ts';

const address = inject('openclaw');
const host = openHost(address);
const { profile } = host;
const hub = ownHub(profile);
/** A bound for a start of the host, or several of its commands, on a busy machine. */
const SLOW_MS = 300_000;
/** Longer than a gateway's writer takes that has not heard of it. */
const STAYS_MS = 5_000;
/** How often the plugin is taken out of a running gateway; one round takes as long as a command of the host. */
const ROUNDS = Number(process.env['PINCER_EJECT_ROUNDS'] ?? atDepth(1, 10));

/** So many entries that OpenClaw would refuse a file without them, which are there without being heard. */
const MANY = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [
    `mail-${index}`,
    httpServer('http://127.0.0.1:9/mcp', { auth: { identity: 'per-caller' } }),
  ]),
);

/** Without what OpenClaw notes in its file by itself: its version, and the agents that it has. */
function withoutNotes(config: JsonObject): JsonObject {
  const { meta: _, agents, ...rest } = config;
  const { entries: __, ...others } = agents as JsonObject;
  return { ...rest, agents: others };
}

test.runIf(isDeep)(
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

test(
  'eject under a running gateway leaves the configuration as it was, however often',
  async () => {
    const { enabled, hooks, config } = memberOf(profile.readConfig(), 'plugins', 'entries', PLUGIN_ID);
    const switchOn = (): Promise<void> =>
      patchConfig(host, { plugins: { entries: { [PLUGIN_ID]: { enabled, hooks } } } });
    writeFileSync(hub.configFile, JSON.stringify({ servers: MANY }), { mode: 0o600 });
    const before = withoutNotes({
      ...configBefore(profile),
      // What a person has set stays.
      plugins: { entries: { [PLUGIN_ID]: { enabled: false, config } } },
    });
    for (let round = 1; round <= ROUNDS; round++) {
      if (round > 1) await switchOn();
      await whenListed(profile, Object.keys(MANY));
      const size = statSync(profile.configFile).size;
      expect(await host.openclawOk(['pincer', 'eject'])).toContain('Removed from mcp.servers: ');
      expect(statSync(profile.configFile).size).toBeLessThan(size / 2);
      expect(withoutNotes(profile.readConfig()), `round ${round}`).toEqual(before);
      // The gateway may hear of it much later, and writes nothing meanwhile.
      await sleep(STAYS_MS);
      expect(withoutNotes(profile.readConfig()), `round ${round}`).toEqual(before);
    }
    writeFileSync(hub.configFile, '{}');
    await switchOn();
    await whenListed(profile, ['everything', 'growing']);
    await whenApplied(host);
  },
  SLOW_MS * ROUNDS,
);

test('a gateway that is asked to stop leaves no process behind', async () => {
  verifies('004-6.4-shutdown');
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
    expect(await host.openclawOk(['pincer', 'eject'])).toContain('Removed from mcp.servers: ');
    expect({ mcp: profile.readConfig()['mcp'] }).toEqual({ mcp: before['mcp'] });
    await host.openclawOk(['plugins', 'uninstall', PLUGIN_ID, '--force']);
    // The host keeps its own version in `meta`.
    const plugins = { entries: { [PLUGIN_ID]: { enabled: false } } };
    expect(withoutNotes(profile.readConfig())).toEqual(withoutNotes({ ...before, plugins }));
    expect(existsSync(join(profile.state, 'extensions', PLUGIN_ID))).toBe(false);
  },
  SLOW_MS,
);
