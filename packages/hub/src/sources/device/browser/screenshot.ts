/** Pictures of what a page shows. */
import { isRecord } from '../../../core/is-record.ts';
import { imageSize } from '../media/image-size.ts';
import { BrowserError } from './browser-error.ts';
import { textIn } from './connection.ts';
import type { Page, Screenshot, ScreenshotOptions } from './page.ts';

export async function takeScreenshot(
  page: Page,
  { format, quality, maxWidth }: ScreenshotOptions,
): Promise<Screenshot> {
  const { cssVisualViewport: view } = await page.send('Page.getLayoutMetrics');
  if (!isRecord(view)) throw new BrowserError('refused', 'The page has no size.');
  const number = (name: string): number => Number(view[name]);
  const [width, height] = [number('clientWidth'), number('clientHeight')];
  // On a screen with small pixels a window has more of them than its size says.
  const ratio = page.isVisible ? Number(await page.evaluate('devicePixelRatio')) : 1;
  // The browser scales while it draws, which costs nothing.
  const scale = maxWidth === undefined ? 1 : Math.min(1, maxWidth / (width * ratio));
  const answer = await page.send('Page.captureScreenshot', {
    format,
    ...(format === 'jpeg' && quality !== undefined ? { quality } : {}),
    clip: { x: number('pageX'), y: number('pageY'), width, height, scale },
  });
  const bytes = Buffer.from(textIn(answer, 'data'), 'base64');
  const size = imageSize(bytes);
  if (size === undefined) throw new BrowserError('refused', 'The browser has given no picture.');
  return { bytes, ...size };
}
