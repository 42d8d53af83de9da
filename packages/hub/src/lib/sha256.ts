import { createHash } from 'node:crypto';

/** In hexadecimal. */
export const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');
