import { createHash } from 'node:crypto';

export const sha256Hex = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');
