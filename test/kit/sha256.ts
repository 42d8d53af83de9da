import { createHash } from 'node:crypto';

/** Same format as the hub's digests: hexadecimal, 64 characters. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');
