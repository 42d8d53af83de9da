/** The interface of a camera backend. */
import type { Clip } from '../media/clip.ts';
import type { Picture, PictureOptions } from '../media/picture.ts';
import type { CommandContext } from '../registry/capability.ts';

export interface Camera {
  readonly id: string;
  readonly name: string;
}

export type Position = 'front' | 'back' | 'unknown';

/** Guessed from the name: only phones report which way a camera faces. */
export function positionOf(name: string): Position {
  if (/\b(rear|back|world|environment)\b/i.test(name)) return 'back';
  return /\b(front|facetime|integrated|built-?in|user)\b/i.test(name) ? 'front' : 'unknown';
}

export interface SnapOrder extends PictureOptions {
  /** How long the camera runs before the picture, to adjust to the light. */
  readonly delayMs: number;
}

export interface CameraClipOrder {
  readonly durationMs: number;
  readonly includeAudio: boolean;
  readonly maxBytes: number;
}

export interface CameraClip extends Clip {
  /** Not every browser can write MP4. */
  readonly format: 'mp4' | 'webm';
}

export interface CameraBackend {
  /** The device type, in the terms of other nodes: `v4l2`. */
  readonly deviceType: string;
  list(signal: AbortSignal): Promise<readonly Camera[]>;
  /** If `camera` is undefined, uses the default of the system. */
  snap(camera: Camera | undefined, order: SnapOrder, signal: AbortSignal): Promise<Picture>;
  clip(
    camera: Camera | undefined,
    order: CameraClipOrder,
    context: Pick<CommandContext, 'signal' | 'progress'>,
  ): Promise<CameraClip>;
}
