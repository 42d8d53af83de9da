/** Pictures and clips beside a payload that has them as base64. */
import type { Base64 } from '../registry/base64.ts';
import type { MediaItem, Payload } from '../registry/capability.ts';
import { mimeTypeOf } from './pixels.ts';

export function pictureItem(payload: Payload): readonly MediaItem[] {
  const { base64, format } = payload as { base64: Base64; format: string };
  return [{ type: 'image', data: base64, mimeType: mimeTypeOf(format === 'png' ? 'png' : 'jpeg') }];
}

export function clipItem(payload: Payload): readonly MediaItem[] {
  const { base64, format } = payload as { base64: Base64; format: 'mp4' | 'webm' };
  return [{ type: 'video', data: base64, mimeType: `video/${format}` }];
}
