/** `run/hub.json` of this hub: what it says stays true while the hub runs. */
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { describeThisHub, removeHubFile, writeHubFile, type HubFile } from '../owner/hub-file.ts';
import { CONTROL_PATH } from '../surfaces/control/control.ts';
import { VERSION } from '../version.ts';
import type { FollowedConfig } from './config-file.ts';
import type { Surfaces } from './surfaces.ts';

export interface OwnHubFileParts {
  readonly home: string;
  readonly mode: HubFile['mode'];
  readonly surfaces: Surfaces;
  readonly followed: Pick<FollowedConfig, 'onApplied'>;
  readonly log: Log;
}

export function writeOwnHubFile(parts: OwnHubFileParts, undo: AsyncDisposableStack): HubFile {
  const { home, mode, surfaces, followed, log } = parts;
  let { hasDevice } = surfaces;
  const first = describeThisHub({ version: VERSION, mode, endpoints: endpointsOf(surfaces) });
  writeHubFile(home, first);
  undo.defer(() => removeHubFile(home));
  undo.defer(
    followed.onApplied(() => {
      if (surfaces.hasDevice === hasDevice) return;
      ({ hasDevice } = surfaces);
      try {
        writeHubFile(home, { ...first, endpoints: endpointsOf(surfaces) });
      } catch (error) {
        log.warn('run/hub.json cannot be written', { error: messageOf(error) });
      }
    }),
  );
  return first;
}

function endpointsOf({ listener, proxy, hasDevice }: Surfaces): HubFile['endpoints'] {
  const origin = `http://127.0.0.1:${listener.port}`;
  return {
    mcp: `${origin}/mcp`,
    ...(hasDevice && { device: `${origin}/` }),
    control: origin + CONTROL_PATH,
    health: `${origin}/health`,
    ...(proxy && { proxy: proxy.address }),
  };
}
