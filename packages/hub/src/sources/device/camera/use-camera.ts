/** One use of a camera: a backend is chosen, and what goes wrong is said in the documented words. */
import type { Payload } from '../registry/capability.ts';
import type { Camera, Position } from './camera.ts';
import { positionOf } from './camera.ts';
import { chooseCameras, type CameraParts, type ChosenBackend } from './choose.ts';
import { cameraFailure, noSuchCamera, notAvailable } from './failures.ts';
import type { Texts } from './texts.ts';

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
