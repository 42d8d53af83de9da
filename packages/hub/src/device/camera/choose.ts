/** By what cameras are used here: by ffmpeg where it knows one, else by the browser. */
import { browserReadiness } from '../browser/find-browser.ts';
import type { Browser } from '../browser/browser.ts';
import type { DevicePorts } from '../ports.ts';
import { findProgram } from '../programs/find-program.ts';
import type { MissingBackend } from '../registry/capability.ts';
import { createBrowserCameras } from './backends/browser.ts';
import { createFfmpegCameras } from './backends/ffmpeg.ts';
import { VIDEO_CLASS } from './backends/v4l2.ts';
import type { Camera, CameraBackend } from './camera.ts';

export interface CameraParts {
  readonly ports: DevicePorts;
  readonly browser: Browser;
  /** Where Linux lists its cameras. */
  readonly videoClass?: string | undefined;
}

export interface ChosenBackend {
  readonly backend: CameraBackend;
  /** Those that it was chosen for; undefined: nobody has asked the browser yet. */
  readonly cameras: readonly Camera[] | undefined;
}

export type NoBackend = Pick<MissingBackend, 'reason' | 'hint'>;

export async function chooseCameras(
  { ports, browser, videoClass = VIDEO_CLASS }: CameraParts,
  signal: AbortSignal,
): Promise<ChosenBackend | NoBackend> {
  const ffmpeg = findProgram('ffmpeg', ports.env, ports.platform);
  if (ffmpeg !== undefined) {
    const backend = createFfmpegCameras(ports, ffmpeg, videoClass);
    const cameras = await backend.list(signal);
    if (cameras.length > 0) return { backend, cameras };
  }
  const found = browserReadiness(ports);
  if (found.available) return { backend: createBrowserCameras(browser), cameras: undefined };
  return {
    reason:
      ffmpeg === undefined
        ? 'there is neither ffmpeg nor a browser'
        : `ffmpeg knows no camera, and ${found.reason}`,
    hint: `Connect a camera and install ffmpeg. Or: ${found.hint}.`,
  };
}
