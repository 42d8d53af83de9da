/** The screens of this machine, in the order in which `screenIndex` counts them. */
import { CommandFailure } from '../registry/failure.ts';
import type { Monitor } from './backends/load-screenshots.ts';

export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The main one first, then from left to right and from top to bottom. */
export function inOrder<M extends Pick<Monitor, 'isPrimary' | 'x' | 'y'>>(
  monitors: readonly M[],
): readonly M[] {
  // Each question to a screen is a connection to the display of its own.
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

/** Where a screen is, in pixels. On Linux they are counted in larger ones where the desktop is scaled. */
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
