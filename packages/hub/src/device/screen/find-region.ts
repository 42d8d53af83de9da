/** Where a screen is, for programs that are told so. */
import { CommandFailure } from '../registry/failure.ts';
import { loadScreenshots, type Monitor } from './backends/load-screenshots.ts';
import { inOrder, regionOf, screenAt, type Region } from './screens.ts';

/** Undefined: there is one screen alone, and the whole display is it. `text` is what is said where there is no such screen. */
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

/** Undefined: nothing here knows. */
const findScreens = (): Promise<readonly Monitor[] | undefined> =>
  loadScreenshots()
    .then((screenshots) => inOrder(screenshots.Monitor.all()))
    .catch(() => undefined);

function onlyFirst(screenIndex: number, text: string): undefined {
  if (screenIndex === 0) return undefined;
  throw new CommandFailure(text, {
    hint: 'Without the npm package node-screenshots only screen 0 is known, which is the whole display.',
    code: 'SCREEN_UNAVAILABLE',
    notExecuted: true,
  });
}
