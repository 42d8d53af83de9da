/** The size of a PNG or JPEG, out of its head. Pure. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const PNG_HEADER_BYTES = 24;

export function imageSize(bytes: Buffer): Size {
  if (bytes.length >= PNG_HEADER_BYTES && bytes.readUInt32BE(0) === 0x89_50_4e_47)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  // Segments of a JPEG: FF, kind, length; the one that begins a frame has the size.
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const kind = bytes[at + 1]!;
    if (bytes[at] !== 0xff) break;
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return { width: 0, height: 0 };
}
