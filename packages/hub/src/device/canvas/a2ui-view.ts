/** Draws A2UI surfaces on a page, with a script in an isolated world, and receives what the person does. */
import { isRecord } from '../../lib/record.ts';
import { BrowserError, type Page } from '../browser/page.ts';
import { plain, type Surfaces } from './a2ui/surfaces.ts';
import { A2UI_DOCUMENT } from './page/documents.ts';
import { SCRIPT, SHOW, TELL } from './page/script.ts';

const WORLD = 'pincer-canvas';

export interface A2uiEvents {
  /** The person has changed a value. */
  onData(surfaceId: string, path: string, value: unknown): void;
  /** The person has clicked. `at`: the component's path in the data. */
  onAction(surfaceId: string, componentId: string, at: string): void;
}

export interface A2uiView {
  show(surfaces: Surfaces): Promise<void>;
  close(): void;
}

export async function openA2uiView(page: Page, events: A2uiEvents): Promise<A2uiView> {
  await page.send('Runtime.enable');
  await page.send('Runtime.addBinding', { name: TELL, executionContextName: WORLD });
  const stop = page.onEvent((method, { name, payload }) => {
    if (method === 'Runtime.bindingCalled' && name === TELL && typeof payload === 'string')
      receive(payload, events);
  });
  await page.setContent(A2UI_DOCUMENT);
  const { frameTree } = await page.send('Page.getFrameTree');
  const frame = isRecord(frameTree) && isRecord(frameTree['frame']) ? frameTree['frame'] : {};
  const { executionContextId: contextId } = await page.send('Page.createIsolatedWorld', {
    frameId: frame['id'],
    worldName: WORLD,
  });
  const run = async (expression: string): Promise<void> => {
    const { exceptionDetails } = await page.send('Runtime.evaluate', { expression, contextId });
    if (exceptionDetails !== undefined)
      throw new BrowserError('page', 'The surfaces could not be drawn.', exceptionDetails);
  };
  await run(SCRIPT);
  return {
    show: (surfaces) =>
      run(`${SHOW}(${JSON.stringify([...surfaces].map(([id, surface]) => [id, plain(surface)]))})`),
    close() {
      stop();
      // Otherwise the browser would keep sending console events of the next page.
      void page.send('Runtime.disable').catch(() => undefined);
    },
  };
}

function receive(payload: string, events: A2uiEvents): void {
  const event: unknown = JSON.parse(payload);
  if (!isRecord(event)) return;
  const { kind, surfaceId, path, value, componentId, at } = event;
  if (typeof surfaceId !== 'string') return;
  if (kind === 'data' && typeof path === 'string') events.onData(surfaceId, path, value);
  if (kind === 'action' && typeof componentId === 'string' && typeof at === 'string')
    events.onAction(surfaceId, componentId, at);
}
