/** sharp, which scales images: native code, looked for when it is needed (docs/adr/0033). */
import type SharpModule from 'sharp';

export type Sharp = typeof SharpModule;

/** The types of images that agents are sent. It reads many more, and none of those has to be. */
const READERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadWebpBuffer',
];

let loaded: Promise<Sharp> | undefined;

/** Rejects where it is not installed, or not for this machine. */
export function loadSharp(): Promise<Sharp> {
  loaded ??= prepare().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function prepare(): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: READERS });
  // No image comes twice.
  sharp.cache(false);
  return sharp;
}
