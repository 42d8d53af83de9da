/** How long the sound of a WAV file is, in milliseconds; undefined: it is none. */
export function wavDurationMs(file: Buffer): number | undefined {
  if (
    file.length < 12 ||
    file.toString('latin1', 0, 4) !== 'RIFF' ||
    file.toString('latin1', 8, 12) !== 'WAVE'
  )
    return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length;) {
    const id = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    if (id === 'data') {
      // A program that does not know the size beforehand says the largest one.
      const bytes = Math.min(size, file.length - at - 8);
      return bytesPerSecond === 0 ? undefined : Math.round((bytes / bytesPerSecond) * 1_000);
    }
    // Chunks begin at even offsets.
    at += 8 + size + (size % 2);
  }
  return undefined;
}
