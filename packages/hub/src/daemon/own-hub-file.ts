/** `run/hub.json` of this hub: what it says stays true while the hub runs. */
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { describeThisHub, removeHubFile, writeHubFile, type HubFile } from '../owner/hub-file.ts';
import { CONTROL_PATH } from '../control/control.ts';
import { VERSION } from '../lib/version.ts';
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
  const first = describeThisHub({ version: VERSION, mode, endpoints: endpointsOf(surfaces) });
  let written = JSON.stringify(first.endpoints);
  writeHubFile(home, first);
  undo.defer(() => removeHubFile(home));
  const update = (): void => {
    const endpoints = endpointsOf(surfaces);
    if (JSON.stringify(endpoints) === written) return;
    written = JSON.stringify(endpoints);
    try {
      writeHubFile(home, { ...first, endpoints });
    } catch (error) {
      log.warn('run/hub.json cannot be written', { error: messageOf(error) });
    }
  };
  undo.defer(followed.onApplied(update));
  undo.defer(surfaces.proxy?.onChange(update) ?? (() => undefined));
  return first;
}

function endpointsOf({ listener, proxy, hasDevice }: Surfaces): HubFile['endpoints'] {
  const origin = `http://127.0.0.1:${listener.port}`;
  return {
    mcp: `${origin}/mcp`,
    ...(hasDevice && { device: `${origin}/` }),
    control: origin + CONTROL_PATH,
    health: `${origin}/health`,
    ...(proxy?.current && { proxy: proxy.current.address }),
  };
}
