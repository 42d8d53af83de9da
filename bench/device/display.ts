/** A virtual X11 display, plain or filled with text-like pixels. Xvfb maps its frame buffer from a file. */
import { openSync, readFileSync, writeSync, closeSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../process/folders.ts';
import { startProcess } from '../process/running.ts';

export interface Screen {
  number: number;
  width: number;
  height: number;
  isWritten: boolean;
}

/** Returns the value for DISPLAY. */
export async function startDisplay({ number, width, height, isWritten }: Screen): Promise<string> {
  const folder = temporaryFolder('display');
  const name = `:${number}`;
  await startProcess({
    command: 'Xvfb',
    args: [name, '-screen', '0', `${width}x${height}x24`, '-fbdir', folder, '-nolisten', 'tcp'],
    folder,
  });
  const file = join(folder, 'Xvfb_screen0');
  for (let tries = 0; tries < 100 && !existsSync(file); tries++) await sleep(50);
  await sleep(500);
  if (isWritten) write(file, width, height);
  return name;
}

const LINE_HEIGHT = 18;
const GLYPH_HEIGHT = 11;

/** An xwd dump: a header of 32-bit words, 12 bytes for each colour, then blue, green, red and padding for each pixel. */
function write(file: string, width: number, height: number): void {
  const head = readFileSync(file).subarray(0, 100);
  const [headerBytes, lineBytes, colours] = [
    head.readUInt32BE(0),
    head.readUInt32BE(48),
    head.readUInt32BE(76),
  ];
  const opened = openSync(file, 'r+');
  let seed = 1;
  const line = Buffer.alloc(lineBytes);
  for (let y = 0; y < height; y++) {
    line.fill(255);
    const from = y % LINE_HEIGHT < GLYPH_HEIGHT ? 8 : width;
    for (let x = from; x < width - 8; x++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const isInk = x % 9 < 6 && seed > 1_400_000_000;
      if (isInk) line.fill(seed % 120, x * 4, x * 4 + 3);
    }
    writeSync(opened, line, 0, lineBytes, headerBytes + colours * 12 + y * lineBytes);
  }
  closeSync(opened);
}
