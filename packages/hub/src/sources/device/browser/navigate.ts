/** How a page gets to an address. */
import { BrowserError } from './browser-error.ts';
import { textIn, type Params } from './connection.ts';
import type { SendToPage } from './evaluate.ts';
import type { Page } from './page.ts';

/** Ends when the page is loaded, or when it has had time enough. */
export async function navigate(
  send: SendToPage,
  onEvent: Page['onEvent'],
  url: string,
  loadMs: number,
): Promise<void> {
  // The protocol would also show files and the browser's own pages.
  if (!/^https?:/i.test(url)) throw new BrowserError('navigation', 'Only http and https are shown.');
  // Whichever comes first: the answer, or word that the page of that answer is loaded.
  const seen = new Set<unknown>();
  const loaded = Promise.withResolvers<void>();
  let awaited: unknown;
  const stop = onEvent((method, { name, loaderId }: Params) => {
    if (method !== 'Page.lifecycleEvent' || name !== 'load') return;
    seen.add(loaderId);
    if (loaderId === awaited) loaded.resolve();
  });
  const timer = setTimeout(loaded.resolve, loadMs).unref();
  try {
    const answer = await send('Page.navigate', { url });
    const failure = answer['isDownload'] === true ? 'It is a download.' : textIn(answer, 'errorText');
    if (failure !== '') throw new BrowserError('navigation', failure);
    awaited = answer['loaderId'];
    // Absent: the same document, at another place in it.
    if (awaited !== undefined && !seen.has(awaited)) await loaded.promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
