/** sharp scales and writes pictures: native code, looked for when it is needed (docs/adr/0033). It is given pixels alone and reads no file format. */
import type SharpModule from 'sharp';

export type Sharp = typeof SharpModule;

/** Undefined where it is not installed, or not for this machine. */
export async function loadSharp(): Promise<Sharp | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    // No picture comes twice.
    sharp.cache(false);
    return sharp;
  } catch {
    return undefined;
  }
}
