/** What the commands of the screen are done by here, or what they lack. */
import type { DevicePorts } from '../ports.ts';
import type { Readiness } from '../registry/capability.ts';
import { snapshotBackends } from './backends/choose.ts';
import { findRecorder } from './recorder.ts';
import { NO_DISPLAY } from './session.ts';

export async function snapshotReadiness(ports: DevicePorts): Promise<Readiness> {
  const commands = ['screen.snapshot'];
  const { all, hint } = snapshotBackends(ports);
  const reasons: string[] = [];
  const there: string[] = [];
  for (const backend of all) {
    const missing = await backend.missing();
    if (missing === undefined) there.push(backend.name);
    else reasons.push(missing);
  }
  if (there.length > 0) return { commands, available: true, backend: there.join(', then ') };
  const reason = hint === NO_DISPLAY ? 'there is no display' : reasons.join('; ');
  return { commands, available: false, reason, hint };
}

export function recordReadiness(ports: DevicePorts): Readiness {
  const commands = ['screen.record'];
  const recorder = findRecorder(ports);
  if (recorder.isThere) return { commands, available: true, backend: `ffmpeg (${recorder.device})` };
  return { commands, available: false, reason: recorder.reason, hint: recorder.hint };
}
