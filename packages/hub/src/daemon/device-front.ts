/** `/` of the local listener: its own share of calls, its own size of messages. */
import { DEVICE_SOURCE } from '../core/caller.ts';
import type { Clock } from '../core/ports.ts';
import type { Hub } from '../hub/interface.ts';
import { answerBadParams, createDeviceDispatch, createDeviceFront } from '../device/endpoint.ts';
import type { Handler } from '../http/local-listener.ts';
import { createMcpHttp, type McpHttpOptions } from '../mcp/http.ts';
import type { Sessions } from '../mcp/sessions.ts';
import { createSlots } from '../mcp/slots.ts';

export interface DeviceFrontOptions {
  readonly hub: Hub;
  readonly sessions: Sessions;
  readonly clock: Clock;
  onRejected(status: number): void;
  readonly isValid: McpHttpOptions['isValid'];
}

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
