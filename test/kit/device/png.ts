/** Width and height from the header of a PNG in base64. */
export function sizeOfPng(base64: string): [width: number, height: number] {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('no PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
