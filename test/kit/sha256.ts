import { createHash } from 'node:crypto';

/** As the hub makes its digests: hexadecimal, 64 characters. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');
