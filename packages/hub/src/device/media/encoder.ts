/** How this machine's ffmpeg writes video that plays everywhere. */
import type { DevicePorts } from '../ports.ts';
import { runMediaProgram } from './run-media-program.ts';
import { words } from './words.ts';

/** The best first; not every ffmpeg is built with each. */
const ENCODERS: ReadonlyMap<string, string> = new Map([
  ['libx264', '-preset veryfast -crf 26'],
  ['h264_videotoolbox', '-b:v 4M'],
  ['h264_mf', '-b:v 4M'],
  ['libopenh264', '-b:v 4M'],
  ['mpeg4', '-q:v 5'],
]);

/** Of what `ffmpeg -encoders` lists. */
export function chooseEncoder(listed: string): readonly string[] {
  const names = new Set(listed.split('\n').map((line) => line.trim().split(/\s+/, 2)[1]));
  const [name, options] = [...ENCODERS].find(([each]) => names.has(each)) ?? ['mpeg4', '-q:v 5'];
  return words(`-c:v ${name} ${options} -pix_fmt yuv420p`);
}

/** Asked once for each ffmpeg. */
export function createEncoders(ports: DevicePorts): (ffmpeg: string) => Promise<readonly string[]> {
  const known = new Map<string, Promise<readonly string[]>>();
  return (ffmpeg) => {
    const asked = known.get(ffmpeg) ?? ask(ports, ffmpeg);
    known.set(ffmpeg, asked);
    asked.catch(() => known.delete(ffmpeg));
    return asked;
  };
}

async function ask(ports: DevicePorts, command: string): Promise<readonly string[]> {
  const args = words('-hide_banner -loglevel error -encoders');
  // Others wait for the same answer: no single caller takes it away from them.
  const { stdout } = await runMediaProgram(ports, { command, args, signal: new AbortController().signal });
  return chooseEncoder(stdout.toString('utf8'));
}
