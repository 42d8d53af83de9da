/** Looks whether a gateway of OpenClaw answers at an address, without saying anything to it. */
import { once } from 'node:events';
import type { GatewayAddress } from './find.ts';
import { notReached } from './not-reached.ts';
import { readChallenge } from './read-greeting.ts';
import { notUnderstood } from './socket.ts';
import { openWebSocket } from './web-socket.ts';

const KNOCK_MS = 15_000;

/** Rejects where none answers. `setting` names the gateway. */
export async function knock(
  address: Pick<GatewayAddress, 'url' | 'fingerprint'>,
  setting: string,
): Promise<void> {
  const { url } = address;
  const signal = AbortSignal.timeout(KNOCK_MS);
  let greeting: unknown;
  try {
    const socket = await openWebSocket(address, signal);
    try {
      const [data] = (await once(socket, 'message', { signal })) as [Buffer];
      greeting = payloadIn(data.toString());
    } finally {
      socket.on('error', () => undefined).close();
    }
  } catch (error) {
    throw notReached(url, error, setting);
  }
  if (readChallenge(greeting) === undefined) throw notUnderstood(url, setting);
}

function payloadIn(text: string): unknown {
  try {
    const frame = JSON.parse(text) as { event?: unknown; payload?: unknown } | null;
    return frame?.event === 'connect.challenge' ? frame.payload : undefined;
  } catch {
    return undefined;
  }
}
