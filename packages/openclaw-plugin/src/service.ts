/** Keeps a hub for this gateway, and OpenClaw's configuration in step with what the hub has. */
import type { HostApi } from './host.ts';
import type { Keeper } from './hub/keeper.ts';

export function registerService(api: HostApi, keeper: Keeper): void {
  api.registerService({
    id: 'pincer-hub',
    start() {
      keeper.retain();
    },
    stop() {
      keeper.release();
    },
  });
}
