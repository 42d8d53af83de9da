import { createHash } from 'node:crypto';

/** As the hub makes its digests: hexadecimal, 64 characters. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
