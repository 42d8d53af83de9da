/** Who takes pictures of screens here, the quickest first. */
import { jpegByFfmpeg } from '../../media/jpeg-by-ffmpeg.ts';
import type { DevicePorts } from '../../ports.ts';
import { NO_DISPLAY, sessionOf, type Session } from '../session.ts';
import type { SnapshotBackend } from './backend.ts';
import { createFfmpegBackend } from './ffmpeg.ts';
import { createGrimBackend } from './grim.ts';
import { createNativeBackend } from './native.ts';
import { createScreencaptureBackend } from './screencapture.ts';

export interface SnapshotBackends {
  /** In the order in which they are tried. */
  readonly all: readonly SnapshotBackend[];
  /** What to do where none of them is there. */
  readonly hint: string;
}

export function snapshotBackends(ports: DevicePorts): SnapshotBackends {
  const writeJpeg = jpegByFfmpeg(ports);
  const native = createNativeBackend(ports, writeJpeg);
  const ffmpeg = createFfmpegBackend(ports, writeJpeg);
  const bySession: Record<Session, SnapshotBackends> = {
    none: { all: [], hint: NO_DISPLAY },
    x11: {
      all: [native, ffmpeg],
      hint: 'Install ffmpeg, or the npm package node-screenshots with the libraries libxcb and libdbus.',
    },
    wayland: {
      all: [createGrimBackend(ports, writeJpeg), native],
      hint: 'Install grim (Sway, Hyprland and the like); on GNOME and KDE the npm package node-screenshots, XWayland and a desktop portal.',
    },
    macos: {
      all: [native, createScreencaptureBackend(ports), ffmpeg],
      hint: 'Allow screen recording for the program that runs the hub: System Settings, Privacy & Security.',
    },
    windows: { all: [native, ffmpeg], hint: 'Install the npm package node-screenshots, or ffmpeg.' },
  };
  return bySession[sessionOf(ports)];
}
