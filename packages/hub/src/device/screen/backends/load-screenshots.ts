/** node-screenshots takes pictures of screens: native code, looked for when it is needed. */
import type { Image, Monitor } from 'node-screenshots';

export type { Image, Monitor };

export interface Screenshots {
  readonly Monitor: typeof Monitor;
}

/** Rejects where it is not installed, or not for this machine. */
export const loadScreenshots = (): Promise<Screenshots> => import('node-screenshots');
