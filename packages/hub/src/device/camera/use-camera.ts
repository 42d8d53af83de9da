/** Chooses a backend and a camera for one command, and turns errors into the documented failures. */
import { isBrowserError } from '../browser/page.ts';
import type { Browser } from '../browser/browser.ts';
import { browserReadiness } from '../browser/find-browser.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { ProgramFailure } from '../programs/run-program.ts';
import { type Payload, type MissingBackend, CommandFailure } from '../registry/capability.ts';
import { CameraRefused, createBrowserCameras } from './browser.ts';
import { type Camera, type Position, positionOf, type CameraBackend } from './camera.ts';
import { createFfmpegCameras, VIDEO_CLASS } from './ffmpeg.ts';

interface Which {
  readonly deviceId: string | undefined;
  readonly facing: string | undefined;
}

interface CameraInUse extends ChosenBackend {
  /** Undefined for the default of the system. */
  choose(which: Which): Promise<Camera | undefined>;
}

type Use = (
  texts: Texts,
  signal: AbortSignal,
  work: (camera: CameraInUse) => Promise<Payload>,
) => Promise<Payload>;

export const createCameraUse =
  (parts: CameraParts): Use =>
  async (texts, signal, work) => {
    try {
      const chosen = await chooseCameras(parts, signal);
      if (!('backend' in chosen)) throw notAvailable(texts, chosen.hint);
      const { backend, cameras } = chosen;
      return await work({
        ...chosen,
        async choose(which) {
          const isDefault = !which.deviceId?.trim() && !which.facing;
          if (isDefault) return cameras?.[0];
          const camera = chooseCamera(cameras ?? (await backend.list(signal)), which);
          if (camera === undefined) throw noSuchCamera(texts);
          return camera;
        },
      });
    } catch (error) {
      throw cameraFailure(error, texts, parts.ports.platform);
    }
  };

/** `facing` is a preference, `deviceId` is required to match. Undefined for an unknown deviceId. */
export function chooseCamera(cameras: readonly Camera[], { deviceId, facing }: Which): Camera | undefined {
  const id = deviceId?.trim();
  if (id) return cameras.find((each) => each.id === id) ?? cameras.find((each) => each.name === id);
  const wanted = facing?.trim().toLowerCase() as Position | undefined;
  return cameras.find(({ name }) => positionOf(name) === wanted) ?? cameras[0];
}

/** Failures with the documented texts. */
const notAvailable = ({ notAvailable: text }: Texts, hint: string, cause?: unknown): CommandFailure =>
  new CommandFailure(text, { hint, code: 'CAMERA_UNAVAILABLE', notExecuted: true, cause });

const noSuchCamera = ({ failed }: Texts): CommandFailure =>
  new CommandFailure(failed, {
    hint: 'No camera has this deviceId. camera.list returns the valid ones.',
    code: 'CAMERA_UNAVAILABLE',
    notExecuted: true,
  });

export function cameraFailure(error: unknown, texts: Texts, platform: NodeJS.Platform): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (isBlocked(error))
    return new CommandFailure(blockedText(platform), { code: 'CAMERA_PERMISSION_REQUIRED', cause: error });
  if (error instanceof CameraRefused && error.name === 'NotFoundError')
    return notAvailable(texts, 'No camera is connected.', error);
  if (isBrowserError(error, 'missing') || isBrowserError(error, 'start'))
    return notAvailable(
      texts,
      'The browser that provides the camera did not start. See the log of the hub.',
      error,
    );
  const isBusy = error instanceof CameraRefused && error.name === 'NotReadableError';
  return new CommandFailure(texts.failed, {
    hint: isBusy || saysBusy(error) ? 'Another program uses the camera.' : 'See the log of the hub.',
    code: 'CAMERA_UNAVAILABLE',
    cause: error,
  });
}

const isBlocked = (error: unknown): boolean =>
  (error instanceof CameraRefused && error.name === 'NotAllowedError') ||
  (error instanceof ProgramFailure &&
    /permission denied|not authorized|access is denied/i.test(error.message));

const saysBusy = (error: unknown): boolean =>
  error instanceof ProgramFailure && /device or resource busy|already in use/i.test(error.message);

export interface CameraParts {
  readonly ports: DevicePorts;
  readonly browser: Browser;
  /** Where Linux lists its cameras. */
  readonly videoClass?: string | undefined;
}

interface ChosenBackend {
  readonly backend: CameraBackend;
  /** Undefined if the backend is the browser, which was not asked yet. */
  readonly cameras: readonly Camera[] | undefined;
}

type NoBackend = Pick<MissingBackend, 'reason' | 'hint'>;

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
        : `ffmpeg finds no camera, and ${found.reason}`,
    hint: `Connect a camera and install ffmpeg. Or: ${found.hint}.`,
  };
}

/** The documented failure texts of one command. */
interface Texts {
  readonly notAvailable: string;
  readonly failed: string;
}

export const LIST_TEXTS: Texts = { notAvailable: 'Camera list not available', failed: 'List failed' };
export const SNAP_TEXTS: Texts = { notAvailable: 'Camera snap not available', failed: 'Snap failed' };
export const CLIP_TEXTS: Texts = { notAvailable: 'Camera clip not available', failed: 'Clip failed' };

export const UNSUPPORTED_SNAP = 'Unsupported camera image format. Supported formats: jpeg, png.';
export const UNSUPPORTED_CLIP = 'Unsupported camera clip format. Only mp4 is supported.';

/** The system denies access to the camera. */
function blockedText(platform: NodeJS.Platform): string {
  if (platform === 'win32')
    return 'Camera access blocked. Enable camera access for desktop apps in Windows Privacy settings.';
  if (platform === 'darwin')
    return 'Camera access blocked. Enable camera access for the program that runs the hub in System Settings, Privacy & Security.';
  return 'Camera access blocked. Add the user that runs the hub to the group video: sudo usermod -aG video <user>';
}
