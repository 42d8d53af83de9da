/** From one try to the next: how large, and as what. Pure. */
export type Format = 'jpeg' | 'png' | 'webp';

export interface Source {
  readonly format: Format | 'gif';
  /** As it is looked at: turned the right way. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  /** Of an animation; otherwise one. */
  readonly frames: number;
  readonly size: number;
}

export interface Step {
  readonly format: Format;
  /** Of the edges, before they were rounded. */
  readonly factor: number;
  readonly width: number;
  readonly height: number;
}

/** Sizes follow the number of pixels, but not to the byte. */
const MARGIN = 0.9;
/** What the formats can say. */
const MAX_EDGE: Readonly<Record<Format, number>> = { jpeg: 65_535, png: 2 ** 31 - 1, webp: 16_383 };

/**
 * The type is kept. A GIF becomes a PNG: between its colours there are new ones when it is scaled. Of an animation the
 * first frame is taken, which is what models look at.
 */
export function firstStep(source: Source, maxBytes: number): Step {
  const format = source.format === 'gif' ? 'png' : source.format;
  return scaled(source, format, ratio(maxBytes, source.size / source.frames));
}

/** `made`: how large it became, which was too large. */
export function nextStep(source: Source, { format, factor }: Step, made: number, maxBytes: number): Step {
  // Without loss, what was compressed well can grow while it shrinks.
  if (format === 'png') return scaled(source, source.hasAlpha ? 'webp' : 'jpeg', factor);
  return scaled(source, format, factor * ratio(maxBytes, made));
}

const ratio = (wanted: number, is: number): number => Math.min(1, Math.sqrt((MARGIN * wanted) / is));

function scaled({ width, height }: Source, format: Format, wanted: number): Step {
  const factor = Math.min(wanted, MAX_EDGE[format] / Math.max(width, height));
  const edge = (length: number): number => Math.max(1, Math.floor(length * factor));
  return { format, factor, width: edge(width), height: edge(height) };
}
