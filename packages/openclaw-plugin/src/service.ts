/** The service of the plugin: keeps a hub for this gateway, and keeps the entries in `mcp.servers` in sync with its servers. */
import { unwatchFile, watchFile, type Stats } from 'node:fs';
import { ask, PincerError, type HubClient, type HubStatus } from 'pincer/client';
import { createEntries, keepEntries, type Reconciled } from './entries/entries.ts';
import type { HostApi } from './host.ts';
import type { Keeper } from './hub/keeper.ts';
import type { Place } from './hub/place.ts';
import { gatewayAddress, startToolNode, type ToolNode } from './node/node.ts';

export function registerService(api: HostApi, keeper: Keeper, place: Place): void {
  const { home } = place;
  const { logger } = api;
  const { config } = api.runtime;
  const isByNode = api.pluginConfig?.['toolsVia'] === 'node';
  /** Stops everything that was started. */
  let cleanups: (() => void)[] = [];
  let node: ToolNode | undefined;

  /** Returns undefined if agents get the tools by entries: by the settings, or because this gateway does not allow a node. */
  function startNode(): ToolNode | undefined {
    if (!isByNode) return undefined;
    try {
      const gateway = gatewayAddress(config.current(), process.env, process.argv);
      const log = (message: string): void => logger.warn(`Pincer ${message}`);
      return startToolNode({ gateway, home, hub: () => keeper.hub(), log });
    } catch (error) {
      const { message, hint = '' } = PincerError.from(error);
      logger.error(`${message} ${hint}`);
      return undefined;
    }
  }

  api.registerService({
    id: 'pincer-hub',
    start() {
      const entries = createEntries({ config, logger, home });
      node = startNode();
      const notWritten = (error: unknown): void =>
        logger.warn(`Pincer could not write its entries: ${PincerError.from(error).message}`);
      // Never both: each tool would exist twice.
      const enter = async (hub: HubClient, status: HubStatus): Promise<Reconciled> =>
        entries.reconcile(hub, node === undefined ? status : { ...status, servers: [] });
      const follow = async (status: HubStatus): Promise<void> => {
        node?.publish(status);
        await enter(await keeper.hub(), status);
      };
      const settle = async (isRepair: boolean): Promise<Reconciled> => {
        if (isRepair) entries.forget();
        const hub = await keeper.hub();
        const reconciled = await enter(hub, await ask(hub, 'GET status'));
        await entries.whenInForce();
        return reconciled;
      };
      keeper.retain();
      cleanups = [
        keeper.onStatus((status) => void follow(status).catch(notWritten)),
        watchConfigFile(place.configFile, () => void entries.recheck()?.catch(notWritten)),
        keepEntries(home, { clashes: entries.clashes, settle }),
        () => entries.stop(),
        () => node?.stop(),
        () => keeper.release(),
      ];
    },
    stop() {
      for (const end of cleanups) end();
      cleanups = [];
    },
  });
}

const LOOK_MS = 1_000;

/**
 * Watches OpenClaw's file for edits. The host does not tell plugins about them, and may read the file itself half a
 * minute later (2026.9.6). Returns a function that stops watching.
 */
function watchConfigFile(path: string, onEdit: () => void): () => void {
  const look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) onEdit();
  };
  watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  return () => unwatchFile(path, look);
}
