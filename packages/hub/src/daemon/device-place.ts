/** What the machine's capabilities need of the process around them. Most of it comes up later than they do. */
import type { RunProgram } from '../core/program.ts';
import type { DevicePlace } from '../device/device.ts';
import type { FollowedConfig } from './config-file.ts';
import type { NodeDesk } from './node.ts';

export interface DevicePlaceParts {
  readonly home: string;
  /** Offered only while this machine is a node of a gateway. */
  readonly isOnlyForNode: boolean;
  readonly run: RunProgram;
  followed(): Pick<FollowedConfig, 'change'>;
  node(): NodeDesk | undefined;
}

export const createDevicePlace = ({
  home,
  isOnlyForNode,
  run,
  followed,
  node,
}: DevicePlaceParts): DevicePlace => ({
  home,
  isOffered: ({ nodeMode }) => nodeMode || !isOnlyForNode,
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
