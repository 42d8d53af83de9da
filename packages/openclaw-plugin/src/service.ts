/** Keeps a hub for this gateway, and the host's entries in step with the servers that the hub has. */
import { ask, PincerError, type HubClient, type HubStatus } from 'pincer/client';
import { createEntries, type Reconciled } from './entries/entries.ts';
import { keepEntries } from './entries/kept.ts';
import { watchConfigFile } from './entries/watch.ts';
import type { HostApi } from './host.ts';
import type { Keeper } from './hub/keeper.ts';
import type { Place } from './hub/place.ts';
import { gatewayAddress } from './node/gateway.ts';
import { startToolNode, type ToolNode } from './node/node.ts';

export function registerService(api: HostApi, keeper: Keeper, place: Place): void {
  const { home } = place;
  const { logger } = api;
  const { config } = api.runtime;
  const isByNode = api.pluginConfig?.['toolsVia'] === 'node';
  /** What ends everything that was started. */
  let ends: (() => void)[] = [];
  let node: ToolNode | undefined;

  /** Undefined: not wanted, or not possible with this gateway. Then there are entries. */
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
      // By one way or the other: with both, each tool would be there twice.
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
      ends = [
        keeper.onStatus((status) => void follow(status).catch(notWritten)),
        watchConfigFile(place.configFile, () => void entries.recheck()?.catch(notWritten)),
        keepEntries(home, { clashes: entries.clashes, settle }),
        () => entries.stop(),
        () => node?.stop(),
        () => keeper.release(),
      ];
    },
    stop() {
      for (const end of ends) end();
      ends = [];
    },
  });
}
