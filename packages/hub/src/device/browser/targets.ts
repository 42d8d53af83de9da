/** Targets of the DevTools protocol: creating pages, attaching sessions, granting permissions, closing popups. */
import { isRecord } from '../../lib/record.ts';
import { BrowserError, type PageOptions } from './page.ts';
import { textIn, type Connection } from './connection.ts';
import { OWN_ORIGIN } from './open-page.ts';

export interface Session {
  readonly session: string;
  dispose(): Promise<void>;
}

/** Creates a page with separate storage and permissions, as in a separate profile. */
export async function newSession(connection: Connection, options: PageOptions): Promise<Session> {
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    disposeOnDetach: true,
  });
  const dispose = async (): Promise<void> => {
    await connection.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
  };
  try {
    const { targetId } = await connection.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      width: options.width,
      height: options.height,
    });
    await permit(connection, options, { browserContextId });
    return { session: await attach(connection, targetId), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Attaches to the page in the first window of the browser. */
export async function windowSession(connection: Connection, options: PageOptions): Promise<string> {
  const { targetInfos } = await connection.send('Target.getTargets');
  const page = (Array.isArray(targetInfos) ? targetInfos : []).find(
    (each) => isRecord(each) && each['type'] === 'page',
  ) as Readonly<Record<string, unknown>> | undefined;
  if (page === undefined) throw new BrowserError('start', 'The browser has opened no window.');
  await permit(connection, options, {});
  return attach(connection, page['targetId']);
}

async function attach(connection: Connection, targetId: unknown): Promise<string> {
  return textIn(await connection.send('Target.attachToTarget', { targetId, flatten: true }), 'sessionId');
}

async function permit(connection: Connection, options: PageOptions, context: object): Promise<void> {
  await connection.send('Browser.setDownloadBehavior', { behavior: 'deny', ...context });
  if (options.permissions === undefined || options.permissions.length === 0) return;
  const origin = options.url === undefined ? OWN_ORIGIN : new URL(options.url).origin;
  await connection.send('Browser.grantPermissions', {
    permissions: options.permissions,
    origin,
    ...context,
  });
}

/** Closes windows that pages open. */
export async function closePopups(connection: Connection): Promise<void> {
  connection.onEvent((method, { targetInfo }) => {
    if (method !== 'Target.targetCreated' || !isRecord(targetInfo)) return;
    const { type, openerId, targetId } = targetInfo;
    if (type === 'page' && openerId !== undefined)
      void connection.send('Target.closeTarget', { targetId }).catch(() => undefined);
  });
  await connection.send('Target.setDiscoverTargets', { discover: true });
}
