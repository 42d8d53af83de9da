/** What the machine's capabilities need of the process around them. Most of it comes up later than they do. */
import type { RunProgram } from '../core/program.ts';
import type { DevicePlace } from '../hub/device.ts';
import type { FollowedConfig } from './config-file.ts';
import type { NodeDesk } from './node.ts';

export interface DevicePlaceParts {
  readonly home: string;
  readonly run: RunProgram;
  followed(): Pick<FollowedConfig, 'change'>;
  node(): NodeDesk | undefined;
}

export const createDevicePlace = ({ home, run, followed, node }: DevicePlaceParts): DevicePlace => ({
  home,
  platform: process.platform,
  run,
  changeSetting: async (path, value) => followed().change([{ path, value }]),
  node() {
    const state = node()?.state();
    if (state === undefined || state.is === 'off') return undefined;
    const isConnected = state.is === 'connected' || state.is === 'paired';
    return {
      isConnected,
      isPaired: isConnected,
      isPending: state.is === 'pending',
      version: state.version,
    };
  },
  onAction({ id, sessionKey }, message) {
    // The canvas has logged it; where no gateway takes it, that is all that becomes of it.
    void node()?.sendAction({ message, sessionKey, key: id });
  },
});
