/** Pictures of screens by what macOS brings: `screencapture` takes them, and `sips` scales them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageSize } from '../../media/image-size.ts';
import { fitWidth, type PictureWish } from '../../media/pixels.ts';
import { runMediaProgram } from '../../media/run-media-program.ts';
import { words } from '../../media/words.ts';
import { inRunFolder } from '../../programs/run-folder.ts';
import type { DevicePorts } from '../../ports.ts';
import { findProgram } from '../../programs/find-program.ts';
import type { SnapshotBackend, SnapshotWish } from './backend.ts';

/** `-x`: without a sound. `-C`: with the pointer. Its screens count from 1. */
export const screencaptureArgs = (
  { screenIndex, pointer }: Pick<SnapshotWish, 'screenIndex' | 'pointer'>,
  file: string,
): string[] => ['-x', ...(pointer ? ['-C'] : []), '-D', `${screenIndex + 1}`, '-t', 'png', file];

export const sipsArgs = (
  { format, quality }: Omit<PictureWish, 'maxWidth'>,
  width: number,
  files: { readonly from: string; readonly to: string },
): string[] => [
  ...words(`--resampleWidth ${width} -s format ${format}`),
  ...(format === 'jpeg' ? words(`-s formatOptions ${quality}`) : []),
  files.from,
  '--out',
  files.to,
];

export function createScreencaptureBackend(ports: DevicePorts): SnapshotBackend {
  const find = (name: string): string | undefined => findProgram(name, ports.env, ports.platform);
  return {
    name: 'screencapture',
    drawsPointer: true,
    async missing() {
      return find('screencapture') === undefined ? 'screencapture is not on the PATH' : undefined;
    },
    capture: (wish, signal) =>
      inRunFolder(ports.home, 'media', async (folder) => {
        const from = join(folder, 'screen.png');
        const to = join(folder, 'picture');
        await runMediaProgram(ports, {
          command: find('screencapture')!,
          args: screencaptureArgs(wish, from),
          signal,
        });
        const taken = await readFile(from);
        const size = imageSize(taken);
        if (size === undefined)
          throw new Error(`screencapture wrote ${taken.length} bytes that are no picture`);
        const fitting = fitWidth(size, wish.maxWidth);
        if (wish.format === 'png' && fitting.width === size.width)
          return { format: 'png', ...size, bytes: taken };
        const args = sipsArgs(wish, fitting.width, { from, to });
        await runMediaProgram(ports, { command: find('sips') ?? 'sips', args, signal });
        const bytes = await readFile(to);
        return { format: wish.format, ...(imageSize(bytes) ?? fitting), bytes };
      }),
  };
}
