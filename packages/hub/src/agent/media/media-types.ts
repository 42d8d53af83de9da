/** Which media types an agent accepts, and how the type of a file is detected from its first bytes. */

/** Accepted types, each with the default file extension. */
export const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

export const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/ogg', 'ogg'],
  ['audio/mp4', 'm4a'],
  ['audio/aac', 'aac'],
  ['audio/flac', 'flac'],
  ['audio/opus', 'opus'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
  ['video/x-msvideo', 'avi'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['application/x-tar', 'tar'],
  ['application/x-compressed-tar', 'tar.gz'],
]);

/** A media type without parameters such as `charset`. */
export const essence = (label: string): string => label.split(';', 1)[0]!.trim().toLowerCase();

export const isText = (type: string): boolean => type.startsWith('text/') || type === 'application/json';

/** How many bytes detection needs: the header of a PDF may be anywhere in the first kilobyte. */
export const HEAD_BYTES = 1024;

/** Detects a type by magic bytes. Returns undefined for unknown types and for text. */
export function contentType(head: Buffer): string | undefined {
  // A tar begins with a file name, which may look like any magic bytes.
  if (isTar(head)) return 'application/x-tar';
  for (const [type, bytes] of BEGINNINGS) if (begins(head, bytes)) return type;
  return (
    riffType(head) ?? isoType(head) ?? oggType(head) ?? ebmlType(head) ?? frameType(head) ?? pdfType(head)
  );
}

const BEGINNINGS: readonly (readonly [type: string, bytes: string])[] = [
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/bmp', 'BM'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['audio/flac', 'fLaC'],
  ['audio/aac', 'ADIF'],
  ['application/zip', 'PK\x03\x04'],
  ['application/zip', 'PK\x05\x06'],
  ['application/zip', 'PK\x07\x08'],
  ['application/gzip', '\x1f\x8b'],
  ['application/x-bzip2', 'BZh'],
  ['application/x-xz', '\xfd7zXZ\0'],
  ['application/zstd', '\x28\xb5\x2f\xfd'],
  ['application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'],
];

const at = (head: Buffer, from: number, length: number): string =>
  head.toString('latin1', from, from + length);
const begins = (head: Buffer, bytes: string): boolean => at(head, 0, bytes.length) === bytes;

const RIFF: Readonly<Record<string, string>> = {
  WEBP: 'image/webp',
  WAVE: 'audio/wav',
  'AVI ': 'video/x-msvideo',
};

const riffType = (head: Buffer): string | undefined =>
  begins(head, 'RIFF') || begins(head, 'RF64') ? RIFF[at(head, 8, 4)] : undefined;

/** The first boxes of QuickTime files without `ftyp`. */
const QUICKTIME_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);
const BRANDS: readonly (readonly [brand: RegExp, type: string])[] = [
  [/^qt {2}/, 'video/quicktime'],
  [/^avi[fs]/, 'image/avif'],
  [/^(?:hei[cxms]|hev[cx]|mif1|msf1)/, 'image/heic'],
  [/^M4[AB] /, 'audio/mp4'],
];

function isoType(head: Buffer): string | undefined {
  const box = at(head, 4, 4);
  if (QUICKTIME_BOXES.has(box)) return 'video/quicktime';
  if (box !== 'ftyp') return undefined;
  const brand = at(head, 8, 4);
  return BRANDS.find(([pattern]) => pattern.test(brand))?.[1] ?? 'video/mp4';
}

/** The first packet, behind the header of its page, names the codec. */
function oggType(head: Buffer): string | undefined {
  if (!begins(head, 'OggS')) return undefined;
  return at(head, 28, 8) === 'OpusHead' ? 'audio/opus' : 'audio/ogg';
}

function ebmlType(head: Buffer): string | undefined {
  if (!begins(head, '\x1a\x45\xdf\xa3')) return undefined;
  return head.subarray(0, 64).includes('webm') ? 'video/webm' : 'video/x-matroska';
}

/** ISO 11172-3 and 13818-7: a sync word of eleven or twelve bits, then the layer. AAC has layer 0; layer I is not used. */
function frameType(head: Buffer): string | undefined {
  if (begins(head, 'ID3')) return 'audio/mpeg';
  const [first = 0, second = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) return 'audio/aac';
  const [version, layer] = [second & 0x18, second & 0x06];
  return version !== 0x08 && (layer === 0x02 || layer === 0x04) ? 'audio/mpeg' : undefined;
}

/** PDF readers search the header in the first kilobyte. */
const pdfType = (head: Buffer): string | undefined =>
  head.includes('%PDF-') ? 'application/pdf' : undefined;

/** Checks the checksum of the first header, which all tar formats have. An empty tar is all zeros. */
function isTar(head: Buffer): boolean {
  if (head.length < 512) return false;
  const header = head.subarray(0, 512);
  if (header.every((byte) => byte === 0)) return true;
  const sum = header.reduce((total, byte, place) => total + (place >= 148 && place < 156 ? 0x20 : byte), 0);
  return Number.parseInt(at(header, 148, 8).replaceAll(/[\0 ]/g, ''), 8) === sum;
}
