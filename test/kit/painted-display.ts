/** A display of X11 whose picture the test paints itself: the server maps it from a file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { temporaryFolder } from './temporary-folder.ts';

const SERVER = 'Xvfb';

export type Colour = readonly [red: number, green: number, blue: number];

export interface PaintedDisplay extends AsyncDisposable {
  /** As in DISPLAY. */
  name: string;
  /** Its left half, and its right half. */
  paint(left: Colour, right: Colour): void;
}

export async function startPaintedDisplay(width: number, height: number): Promise<PaintedDisplay> {
  const { path: folder, [Symbol.dispose]: remove } = temporaryFolder('display');
  const screen = ['-screen', '0', `${width}x${height}x24`, '-fbdir', folder];
  const server = spawn(SERVER, ['-displayfd', '3', ...screen, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const gone = once(server, 'exit');
  const ready = once(createInterface({ input: server.stdio[3] as unknown as Readable }), 'line');
  const failed = gone.then((): never => {
    throw new Error('Xvfb ended before it was ready');
  });
  failed.catch(() => undefined);
  const [number] = (await Promise.race([ready, failed])) as [string];
  return {
    name: `:${number}`,
    paint: (left, right) => paint(join(folder, 'Xvfb_screen0'), width, height, [left, right]),
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await gone;
      remove();
    },
  };
}

/** The file is a dump of xwd: a header of 32-bit words, 12 bytes for each colour, then blue, green, red and nothing for each pixel. */
function paint(file: string, width: number, height: number, [left, right]: readonly [Colour, Colour]): void {
  const head = readFileSync(file).subarray(0, 100);
  const [headerBytes, lineBytes, colours] = [
    head.readUInt32BE(0),
    head.readUInt32BE(48),
    head.readUInt32BE(76),
  ];
  const line = Buffer.alloc(lineBytes);
  for (let x = 0; x < width; x++) {
    const [red, green, blue] = x < width / 2 ? left : right;
    line.set([blue, green, red, 0], x * 4);
  }
  const opened = openSync(file, 'r+');
  for (let y = 0; y < height; y++)
    writeSync(opened, line, 0, lineBytes, headerBytes + colours * 12 + y * lineBytes);
  closeSync(opened);
}
