/** One picture of one screen, by the first backend that can. */
import { orAborted } from '../../../core/or-aborted.ts';
import type { Picture } from '../media/pixels.ts';
import type { DevicePorts } from '../ports.ts';
import { cancelled, CommandFailure } from '../registry/failure.ts';
import { patiently } from '../registry/patience.ts';
import type { SnapshotWish } from './backends/backend.ts';
import type { SnapshotBackends } from './backends/choose.ts';
import { CAPTURE_FAILED, NOT_AVAILABLE } from './texts.ts';

/** `includePointer` undefined: drawn where that costs nothing. */
export interface SnapshotOrder extends Omit<SnapshotWish, 'pointer'> {
  readonly includePointer: boolean | undefined;
}

export interface Snapshot extends Picture {
  readonly hasPointer: boolean;
}

/** A portal may ask the person first. */
const CAPTURE_TIMEOUT_MS = 30_000;

export async function takeSnapshot(
  { includePointer, ...order }: SnapshotOrder,
  { all, hint }: SnapshotBackends,
  { log, signal }: Pick<DevicePorts, 'log'> & { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const wish = { ...order, pointer: includePointer ?? true };
  // Whoever asks for the pointer waits for a backend that draws it; whoever says nothing gets the quickest.
  const backends = includePointer === true ? all.toSorted((a, b) => rank(a) - rank(b)) : all;
  let cause: unknown;
  for (const backend of backends) {
    if ((await backend.missing()) !== undefined) continue;
    try {
      const capture = (): Promise<Picture> => orAborted(backend.capture(wish, signal), signal, cancelled);
      const picture = await patiently(capture, CAPTURE_TIMEOUT_MS);
      return { ...picture, hasPointer: wish.pointer && backend.drawsPointer };
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      log.warn('a backend took no picture of the screen', { backend: backend.name, error });
      cause = error;
    }
  }
  throw cause === undefined
    ? new CommandFailure(NOT_AVAILABLE, { hint, code: 'SCREEN_UNAVAILABLE', notExecuted: true })
    : new CommandFailure(CAPTURE_FAILED, {
        hint: 'The log of the hub says why; `pincer doctor` says what is there.',
        cause,
      });
}

const rank = ({ drawsPointer }: { readonly drawsPointer: boolean }): number => (drawsPointer ? 0 : 1);
