/** Why a camera gave nothing, in the documented words. */
import { isBrowserError } from '../browser/browser-error.ts';
import { ProgramFailure } from '../programs/program-failure.ts';
import { CommandFailure } from '../registry/failure.ts';
import { CameraRefused } from './backends/browser.ts';
import { blockedText, type Texts } from './texts.ts';

export const notAvailable = ({ notAvailable: text }: Texts, hint: string, cause?: unknown): CommandFailure =>
  new CommandFailure(text, { hint, code: 'CAMERA_UNAVAILABLE', notExecuted: true, cause });

export const noSuchCamera = ({ failed }: Texts): CommandFailure =>
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
