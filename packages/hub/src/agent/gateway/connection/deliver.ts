/** Something that a gateway must get, though the connection may be lost on the way. */
import { PincerError } from '../../../core/errors.ts';
import type { Gateway } from './gateway.ts';

/** What is delivered so is the same when it comes twice. */
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
