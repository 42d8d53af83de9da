/** What the commands of cameras are done by here, or what they lack. */
import type { Readiness } from '../registry/capability.ts';
import { chooseCameras, type CameraParts } from './choose.ts';

const TIMEOUT_MS = 10_000;

export async function cameraReadiness(parts: CameraParts): Promise<Readiness> {
  const commands = ['camera.list', 'camera.snap', 'camera.clip'];
  const chosen = await chooseCameras(parts, AbortSignal.timeout(TIMEOUT_MS));
  if (!('backend' in chosen)) return { commands, available: false, ...chosen };
  const { deviceType } = chosen.backend;
  // The browser is not started to be asked.
  const backend =
    deviceType === 'browser' ? 'the browser, where it finds a camera' : `ffmpeg (${deviceType})`;
  return { commands, available: true, backend };
}
