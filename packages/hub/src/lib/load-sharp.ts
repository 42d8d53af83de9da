/** Loads sharp, which scales and encodes images: optional native code, imported when it is needed (docs/adr/0033). */
import type SharpModule from 'sharp';

export type Sharp = typeof SharpModule;

/**
 * Returns undefined if sharp is not installed, or not for this machine.
 *
 * If `readers` is given, every other reader of image formats is blocked for the whole process. A process that passes
 * pixels alone leaves it out: the program around the hub may use sharp, too.
 */
export async function loadSharp(readers?: readonly string[]): Promise<Sharp | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    if (readers !== undefined) {
      sharp.block({ operation: ['VipsForeignLoad'] });
      sharp.unblock({ operation: [...readers] });
    }
    // No image comes twice.
    sharp.cache(false);
    return sharp;
  } catch {
    return undefined;
  }
}
