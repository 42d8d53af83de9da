/** A clip with sound where that can be had: a machine without a microphone is no reason to have no clip. */
import type { Log } from '../../core/ports.ts';
import type { ClipOrder } from './clip.ts';
import { ProgramFailure } from '../programs/program-failure.ts';

export interface Clip {
  readonly bytes: Buffer;
  readonly hasAudio: boolean;
}

export async function withOrWithoutSound(
  order: ClipOrder,
  log: Log,
  record: (order: ClipOrder) => Promise<Buffer>,
): Promise<Clip> {
  if (order.sound !== undefined) {
    try {
      return { bytes: await record(order), hasAudio: true };
    } catch (error) {
      // What took too long or was cancelled would fare no better without.
      if (!(error instanceof ProgramFailure) || error.end.kind !== 'exited') throw error;
      log.warn('no clip with sound could be recorded; without it is tried', { error });
    }
  }
  return { bytes: await record({ ...order, sound: undefined }), hasAudio: false };
}
