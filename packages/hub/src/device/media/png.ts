/** Writes PNG where sharp is not installed (RFC 2083): 8 bits per channel, no filter. */
import { promisify } from 'node:util';
import { constants, crc32, deflate } from 'node:zlib';
import type { Pixels } from './pixels.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOUR_TYPE = { 3: 2, 4: 6 } as const;
const deflateInThread = promisify(deflate);

export async function writePng({ width, height, channels, data }: Pixels): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPE[channels]], 8);
  // Each row begins with the kind of its filter; 0 is none.
  const stride = width * channels;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row++)
    data.copy(rows, row * (stride + 1) + 1, row * stride, (row + 1) * stride);
  const packed = await deflateInThread(rows, { level: constants.Z_BEST_SPEED });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}
