/** An answer on its way to a gateway. */
import { PincerError } from '../../../../core/errors.ts';
import type { Gateway } from '../connection/gateway.ts';

/** A connection may be lost between the answer and the gateway's word that it has it; the same answer twice is one. */
const ATTEMPTS = 3;

export async function deliver(
  gateway: Pick<Gateway, 'comeBack' | 'hold'>,
  method: string,
  params: object,
): Promise<void> {
  using _held = gateway.hold();
  for (let attempt = 1; ; attempt++) {
    try {
      const socket = await gateway.comeBack();
      await socket.request(method, params);
      return;
    } catch (error) {
      const isLost = PincerError.is(error) && error.code === 'SERVER_GONE';
      if (!isLost || attempt === ATTEMPTS) throw error;
    }
  }
}
