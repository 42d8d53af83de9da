/** One use of a camera: a backend is chosen, and what goes wrong is said in the documented words. */
import type { Payload } from '../registry/capability.ts';
import { type Camera, type Position, positionOf } from './camera.ts';
import { chooseCameras, type CameraParts, type ChosenBackend } from './choose.ts';
import { type Texts, blockedText } from './texts.ts';
import { isBrowserError } from '../browser/browser-error.ts';
import { ProgramFailure } from '../programs/program-failure.ts';
import { CommandFailure } from '../registry/failure.ts';
import { CameraRefused } from './backends/browser.ts';

export interface Which {
  readonly deviceId: string | undefined;
  readonly facing: string | undefined;
}

export interface CameraInUse extends ChosenBackend {
  /** Undefined: the one that the system takes by itself. */
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

/** `facing` is a preference, `deviceId` a demand: undefined only for an unknown deviceId. */
export function chooseCamera(cameras: readonly Camera[], { deviceId, facing }: Which): Camera | undefined {
  const id = deviceId?.trim();
  if (id) return cameras.find((each) => each.id === id) ?? cameras.find((each) => each.name === id);
  const wanted = facing?.trim().toLowerCase() as Position | undefined;
  return cameras.find(({ name }) => positionOf(name) === wanted) ?? cameras[0];
}

/** Why a camera gave nothing, in the documented words. */
const notAvailable = ({ notAvailable: text }: Texts, hint: string, cause?: unknown): CommandFailure =>
  new CommandFailure(text, { hint, code: 'CAMERA_UNAVAILABLE', notExecuted: true, cause });

const noSuchCamera = ({ failed }: Texts): CommandFailure =>
  new CommandFailure(failed, {
    hint: 'There is no camera with this deviceId; camera.list names them.',
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
      'The browser that has the camera does not start; the log of the hub says more.',
      error,
    );
  const isBusy = error instanceof CameraRefused && error.name === 'NotReadableError';
  return new CommandFailure(texts.failed, {
    hint: isBusy || saysBusy(error) ? 'Another program uses the camera.' : 'The log of the hub says why.',
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
