/** Loads sharp, which scales and encodes images. Optional native code, imported on demand (docs/adr/0033). */
import type SharpModule from 'sharp';

export type Sharp = typeof SharpModule;

/**
 * Returns undefined if sharp is not installed for this machine.
 *
 * If `readers` is given, blocks every other image reader for the whole process. A process that only passes pixels omits
 * it, because the program around the hub may use sharp too.
 */
export async function loadSharp(readers?: readonly string[]): Promise<Sharp | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    if (readers !== undefined) {
      sharp.block({ operation: ['VipsForeignLoad'] });
      sharp.unblock({ operation: [...readers] });
    }
    // No image is processed twice.
    sharp.cache(false);
    return sharp;
  } catch {
    return undefined;
  }
}
