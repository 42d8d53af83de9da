/** An X11 display whose picture the test paints: the server maps it from a file. */
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
  /** The value for DISPLAY. */
  name: string;
  /** Paints the left and the right half. */
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

/**
 * The file is an xwd dump: a header of 32-bit words, 12 bytes per colour, then blue, green, red and padding per
 * pixel.
 */
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
