/** Connects this machine to the running hub: what its capabilities need, and its MCP endpoint at `/`. */
import { DEVICE_SOURCE } from '../core/caller.ts';
import type { Clock } from '../core/ports.ts';
import type { RunProgram } from '../core/program.ts';
import type { DevicePlace } from '../device/device.ts';
import { answerBadParams, createDeviceDispatch, createDeviceFront } from '../device/endpoint.ts';
import type { Handler } from '../http/local-listener.ts';
import type { Hub } from '../hub/interface.ts';
import { createMcpHttp, type McpHttpOptions } from '../mcp/http.ts';
import type { Sessions } from '../mcp/sessions.ts';
import { createSlots } from '../mcp/slots.ts';
import type { FollowedConfig } from './config-file.ts';
import type { NodeController } from './node.ts';

interface DevicePlaceParts {
  readonly home: string;
  /** Offers this machine only while it is a node of a gateway. */
  readonly isOnlyForNode: boolean;
  readonly run: RunProgram;
  followed(): Pick<FollowedConfig, 'change'>;
  node(): NodeController | undefined;
}

/** Provides what the capabilities need from the process. Most of it starts after them. */
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
    // The canvas has already logged the action, so it is dropped without a gateway.
    void node()?.sendAction({ message, sessionKey, key: id });
  },
});

interface DeviceFrontOptions {
  readonly hub: Hub;
  readonly sessions: Sessions;
  readonly clock: Clock;
  onRejected(status: number): void;
  readonly isValid: McpHttpOptions['isValid'];
}

/** Opens `/` of the local listener, with its own slots for calls and its own message size. */
export function openDeviceFront(options: DeviceFrontOptions, undo: AsyncDisposableStack): Handler {
  const { hub, sessions, clock, onRejected, isValid } = options;
  const { maxDeviceCalls, maxDeviceMessageBytes } = hub.limits;
  const limits = { ...hub.limits, maxMessageBytes: maxDeviceMessageBytes };
  const mcpHttp = undo.adopt(
    createMcpHttp({
      dispatch: createDeviceDispatch(hub.dispatch),
      sessions,
      slots: createSlots({ ...limits, maxCalls: maxDeviceCalls, maxCallsPerCredential: maxDeviceCalls }),
      limits,
      log: hub.log,
      elapsed: clock.elapsed,
      onClient: hub.onClient,
      surface: DEVICE_SOURCE,
      onBadParams: answerBadParams,
      onRejected,
      isValid,
    }),
    (it) => it.close(),
  );
  undo.defer(hub.credentials.onChange(() => mcpHttp.endRevoked()));
  return createDeviceFront({ mcpHttp, onRejected });
}
