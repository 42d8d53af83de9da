/** The WebSocket to an OpenClaw gateway. Its library is loaded only by programs that open one. */
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectOptions, EventListener, GatewaySocket } from '../../openclaw/socket.ts';

/** Connects to a gateway and authenticates this device. */
export async function openGatewaySocket(
  address: GatewayAddress,
  options: ConnectOptions,
  onEvent: EventListener,
): Promise<GatewaySocket> {
  const { openSocket } = await import('../../openclaw/socket.ts');
  return openSocket(address, options, onEvent);
}
