/** `connect`: offers an app's functions as tools. */
import type { ProxyFrame } from './bridge.ts';
import { createCalls, createResponder } from './calls.ts';
import { AppError } from './error.ts';
import { keepConnected, type Keeper } from './keep-connected.ts';
import { createOffer } from './tool-set.ts';
import { readOptions, type AppConnection, type ConnectOptions } from './options.ts';
import { createMemory } from './session-memory.ts';
import { createSession, deleteSession, TryAgain, type AppSession, type Registration } from './session.ts';
import { onWake, pageLocks } from './page.ts';
import { watchModelContext } from './web-mcp.ts';

/**
 * Resolves when tools can be called. Rejects if retrying cannot help: the hub does not accept the token or the tools.
 * Otherwise retries until the hub can be reached, or until `signal` is aborted.
 */
export async function connect(options: ConnectOptions): Promise<AppConnection> {
  const { url, token, times, storage } = readOptions(options);
  options.signal?.throwIfAborted();
  const api = { url, token, requestMs: times.requestMs };
  let keeper: Keeper | undefined;
  const offer = createOffer(options.tools, (text) => keeper?.bridge?.send(text) ?? false);
  const calls = createCalls(() => offer.tools, times.progressMs);
  const memory = createMemory({
    storage,
    locks: pageLocks(),
    key: `pincer.session:${url}:${options.chatId ?? ''}`,
    claimMs: times.claimMs,
  });
  const webMcp = options.webMcp === true ? await watchModelContext(offer.setFromPage) : undefined;
  const reportStatus = guarded(options.onStatus);
  const reportError = guarded(options.onError);
  const opened = Promise.withResolvers<undefined>();

  const kept = keepConnected({
    url,
    token,
    times,
    memory,
    create() {
      offer.registered();
      return createSession(api, { ...descriptionOf(options), tools: offer.tools.registered });
    },
    onOpen(isRegistered) {
      if (!isRegistered) offer.unknown();
      offer.sendChanges();
    },
    onFrame(frame, bridge, { sessionId }) {
      const { request_id: requestId = '', tool_name: tool = '', arguments: args = {} } = frame;
      if (frame.type === 'invoke_tool')
        calls.invoke({ requestId, tool, args }, createResponder(bridge, sessionId));
      else if (frame.type === 'cancel') calls.cancel(requestId, frame.reason);
      else if (frame.type === 'error') reportError(errorOf(frame));
    },
    onStatus(change) {
      reportStatus(change);
      if (change.status === 'open') opened.resolve(undefined);
    },
  });
  keeper = kept;
  const stopWake = onWake(kept.wake);
  void kept.over.then((error) => {
    stopWake();
    webMcp?.stop();
    memory.releaseLock();
    if (error !== undefined) reportError(error);
  });

  if (options.signal?.aborted === true) kept.close();
  options.signal?.addEventListener('abort', kept.close);
  const end = await Promise.race([opened.promise, kept.over.then((error) => ({ error }))]);
  options.signal?.removeEventListener('abort', kept.close);
  if (end !== undefined) throw end.error ?? options.signal?.reason;

  const session = (): AppSession => kept.session!;
  return {
    get status() {
      return kept.status;
    },
    get sessionId() {
      return session().sessionId;
    },
    get mcpUrl() {
      return session().mcpUrl;
    },
    setTools: offer.setOwn,
    async close({ deleteSession: isDeleted = storage === undefined } = {}) {
      kept.close();
      calls.cancelAll('The app closed its connection.');
      if (!isDeleted) return;
      memory.forget();
      await deleteSession(api, session().sessionId).catch((error: unknown) => {
        // An unused session expires by itself.
        if (!(error instanceof TryAgain)) throw error;
      });
    },
  };
}

/** Rethrows an error of a listener asynchronously, so that it is reported and stops nothing else. */
const guarded =
  <T>(listener: ((value: T) => void) | undefined) =>
  (value: T): void => {
    try {
      listener?.(value);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };

const descriptionOf = ({ device, appVersion, chatId }: ConnectOptions): Omit<Registration, 'tools'> => ({
  ...(device?.id !== undefined && { device_id: device.id }),
  ...(device?.name !== undefined && { device_name: device.name }),
  ...(appVersion !== undefined && { app_version: appVersion }),
  ...(chatId !== undefined && { chat_id: chatId }),
});

const errorOf = ({ code = 'INTERNAL', message = 'The hub reported an error.' }: ProxyFrame): AppError =>
  new AppError(code, message);
