/** Keeps a hub for this gateway, and the host's entries in step with the servers that the hub has. */
import { PincerError, type HubStatus } from 'pincer/client';
import { createEntries, type Entries } from './entries/entries.ts';
import type { HostApi } from './host.ts';
import type { Keeper } from './hub/keeper.ts';
import { gatewayAddress } from './node/gateway.ts';
import { startToolNode, type ToolNode } from './node/node.ts';

export function registerService(api: HostApi, keeper: Keeper, home: string): void {
  const { logger } = api;
  const { config } = api.runtime;
  const isByNode = api.pluginConfig?.['toolsVia'] === 'node';
  let stopFollowing: (() => void) | undefined;
  let entries: Entries | undefined;
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
      const kept = createEntries({ config, logger, home });
      entries = kept;
      node = startNode();
      const follow = async (status: HubStatus): Promise<void> => {
        node?.publish(status);
        try {
          // By one way or the other: with both, each tool would be there twice.
          const entered = node === undefined ? status : { ...status, servers: [] };
          await kept.reconcile(await keeper.hub(), entered);
        } catch (error) {
          logger.warn(`Pincer could not write its entries: ${PincerError.from(error).message}`);
        }
      };
      stopFollowing = keeper.onStatus((status) => void follow(status));
      keeper.retain();
    },
    stop() {
      stopFollowing?.();
      entries?.stop();
      node?.stop();
      keeper.release();
    },
  });
}
