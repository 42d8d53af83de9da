/** The screens of this machine in the order of `screenIndex`, and the kind of desktop session. */
import type { Image, Monitor } from 'node-screenshots';
import type { DevicePorts } from '../registry/ports.ts';
import { CommandFailure } from '../registry/capability.ts';

export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Sorts the main screen first, then from left to right and from top to bottom. */
export function inOrder<M extends Pick<Monitor, 'isPrimary' | 'x' | 'y'>>(
  monitors: readonly M[],
): readonly M[] {
  // Reading a property opens a new connection to the display.
  if (monitors.length < 2) return monitors;
  return monitors
    .map((monitor) => ({ monitor, rank: monitor.isPrimary() ? 0 : 1, x: monitor.x(), y: monitor.y() }))
    .toSorted((a, b) => a.rank - b.rank || a.x - b.x || a.y - b.y)
    .map(({ monitor }) => monitor);
}

export function screenAt<S>(screens: readonly S[], index: number, text: string): S {
  if (index < screens.length) return screens[index] as S;
  throw new CommandFailure(text, {
    hint: `${countText(screens.length)} There is no screen ${index}.`,
    code: 'SCREEN_UNAVAILABLE',
    notExecuted: true,
  });
}

function countText(count: number): string {
  if (count === 0) return 'No screen is connected to this display.';
  return count === 1 ? 'The only screen is 0.' : `The screens are 0 to ${count - 1}.`;
}

/** The region of a screen in pixels. Linux reports scaled units. */
export function regionOf(
  monitor: Pick<Monitor, 'x' | 'y' | 'width' | 'height' | 'scaleFactor'>,
  platform: NodeJS.Platform,
): Region {
  const scale = platform === 'linux' ? monitor.scaleFactor() : 1;
  const pixels = (value: number): number => Math.round(value * scale);
  return {
    x: pixels(monitor.x()),
    y: pixels(monitor.y()),
    width: pixels(monitor.width()),
    height: pixels(monitor.height()),
  };
}

/** Undefined if there is only one screen. `text`: the failure if there is no such screen. */
export async function findRegion(
  platform: NodeJS.Platform,
  screenIndex: number,
  text: string,
): Promise<Region | undefined> {
  const screens = await findScreens();
  if (screens === undefined) return onlyFirst(screenIndex, text);
  const screen = screenAt(screens, screenIndex, text);
  return screens.length === 1 ? undefined : regionOf(screen, platform);
}

/** Resolves with undefined if the screens are unknown. */
const findScreens = (): Promise<readonly Monitor[] | undefined> =>
  loadScreenshots()
    .then((screenshots) => inOrder(screenshots.Monitor.all()))
    .catch(() => undefined);

function onlyFirst(screenIndex: number, text: string): undefined {
  if (screenIndex === 0) return undefined;
  throw new CommandFailure(text, {
    hint: 'To select a screen, install the npm package node-screenshots. Without it there is only screen 0, the whole display.',
    code: 'SCREEN_UNAVAILABLE',
    notExecuted: true,
  });
}

export type Session = 'x11' | 'wayland' | 'macos' | 'windows' | 'none';

export function sessionOf({ platform, env }: Pick<DevicePorts, 'platform' | 'env'>): Session {
  if (platform === 'darwin') return 'macos';
  if (platform === 'win32') return 'windows';
  // XWayland also sets DISPLAY, but only shows its own windows.
  if (env['WAYLAND_DISPLAY'] || (env['XDG_SESSION_TYPE'] === 'wayland' && env['XDG_RUNTIME_DIR']))
    return 'wayland';
  return env['DISPLAY'] ? 'x11' : 'none';
}

export const NO_DISPLAY =
  'There is no display: start the hub in a desktop session, or set DISPLAY (and XAUTHORITY) to one that it may use.';

export type { Image, Monitor };

interface Screenshots {
  readonly Monitor: typeof Monitor;
}

/** Loads the native module. Rejects if it is not installed for this machine. */
export const loadScreenshots = (): Promise<Screenshots> => import('node-screenshots');
