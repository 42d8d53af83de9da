/** Keeps a hub for this gateway, and the host's entries in step with the servers that the hub has. */
import { PincerError, type HubStatus } from 'pincer/client';
import { createEntries } from './entries/entries.ts';
import type { HostApi } from './host.ts';
import type { Keeper } from './hub/keeper.ts';

export function registerService(api: HostApi, keeper: Keeper, home: string): void {
  const { logger } = api;
  const { config } = api.runtime;
  let stopFollowing: (() => void) | undefined;

  api.registerService({
    id: 'pincer-hub',
    start() {
      const entries = createEntries({ config, logger, home });
      const follow = async (status: HubStatus): Promise<void> => {
        try {
          await entries.reconcile(await keeper.hub(), status);
        } catch (error) {
          logger.warn(`Pincer could not write its entries: ${PincerError.from(error).message}`);
        }
      };
      stopFollowing = keeper.onStatus((status) => void follow(status));
      keeper.retain();
    },
    stop() {
      stopFollowing?.();
      keeper.release();
    },
  });
}
