/** Pictures of Wayland's screens by grim, where the compositor lets it (Sway, Hyprland and others of wlroots). */
import { encodePixels, type JpegWriter } from '../../media/encode.ts';
import { readPpm } from '../../media/ppm.ts';
import { runMediaProgram } from '../../media/run-media-program.ts';
import { words } from '../../media/words.ts';
import type { DevicePorts } from '../../ports.ts';
import { findProgram } from '../../programs/find-program.ts';
import { screenAt } from '../screens.ts';
import { CAPTURE_FAILED } from '../texts.ts';
import type { SnapshotBackend } from './backend.ts';

/** Programs that name the outputs of a compositor, as JSON. */
const LISTERS = [
  { program: 'wlr-randr', args: ['--json'] },
  { program: 'swaymsg', args: ['-t', 'get_outputs', '-r'] },
] as const;

/** `output` undefined: all screens, side by side. */
export const grimArgs = (output: string | undefined, pointer: boolean): string[] => [
  ...words(pointer ? '-t ppm -c' : '-t ppm'),
  ...(output === undefined ? [] : ['-o', output]),
  '-',
];

/** Names of the outputs that show something, in the compositor's order. */
export function outputNames(json: string): readonly string[] {
  const outputs: unknown = JSON.parse(json);
  if (!Array.isArray(outputs)) return [];
  return outputs.flatMap((each: { name?: unknown; enabled?: unknown; active?: unknown }) =>
    typeof each.name === 'string' && (each.enabled ?? each.active) !== false ? [each.name] : [],
  );
}

export function createGrimBackend(ports: DevicePorts, writeJpeg: JpegWriter): SnapshotBackend {
  const find = (name: string): string | undefined => findProgram(name, ports.env, ports.platform);

  async function outputs(signal: AbortSignal): Promise<readonly string[] | undefined> {
    for (const { program, args } of LISTERS) {
      const command = find(program);
      if (command === undefined) continue;
      const { stdout } = await runMediaProgram(ports, { command, args, signal });
      return outputNames(stdout.toString('utf8'));
    }
    return undefined;
  }

  return {
    name: 'grim',
    drawsPointer: true,
    async missing() {
      return find('grim') === undefined ? 'grim is not installed' : undefined;
    },
    async capture(wish, signal) {
      const names = await outputs(signal);
      const output = screenAt(names ?? [undefined], wish.screenIndex, CAPTURE_FAILED);
      const args = grimArgs(output, wish.pointer);
      const { stdout } = await runMediaProgram(ports, { command: find('grim')!, args, signal });
      const pixels = readPpm(stdout);
      if (pixels === undefined) throw new Error(`grim wrote ${stdout.length} bytes that are no picture`);
      return encodePixels(pixels, wish, { writeJpeg });
    },
  };
}
