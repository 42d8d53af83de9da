/** The app proxy of a hub: its listener and endpoints. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxySettings } from '../../config/proxy-settings.ts';
import { PROXY_SURFACE } from '../../core/call/record.ts';
import type { Clock } from '../../core/ports.ts';
import type { Apps } from '../apps.ts';
import { sha256 } from '../../lib/digest.ts';
import { CLOSE, type Visitor } from '../../core/app-bridge.ts';
import { sessionOf } from '../directory/session-directory.ts';
import { createMcpHttp } from '../../mcp/http.ts';
import { createAnswers, type Answers } from './answers.ts';
import { createBridgeEndpoint } from './bridge-endpoint.ts';
import { createKeys } from './keys.ts';
import { openProxyListener, type ProxyListener } from './listener.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { createRates, type Wait } from './rate-limits.ts';
import { createProxyRoutes, createSessionsApi } from './routes.ts';

export interface ProxyParts {
  readonly apps: Apps;
  readonly settings: ProxySettings;
  readonly clock: Clock;
  /** Whether the request has the token of the state folder. No other token opens the metrics. */
  mayMeasure(request: IncomingMessage): boolean;
  renderMetrics(): { readonly type: string; readonly text: string };
  onRequest(): void;
  onRejected(status: number): void;
}

export interface AppProxy extends ProxyListener {
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** The settings last applied. */
  readonly settings: ProxySettings;
  /** Applies changed tokens and closes connections that are no longer allowed. */
  configure(settings: ProxySettings): void;
}

/** One bridge and one caller per session. */
const SOCKETS_PER_SESSION = 2;
const MORE_SOCKETS = 4_096;
/** Sessions that end within this time are handled together. */
const GATHER_MS = 100;
const REVOKED = 'the app token was revoked';

export async function openProxy(parts: ProxyParts, undo: AsyncDisposableStack): Promise<AppProxy> {
  const { apps, settings, clock, onRejected } = parts;
  let current = settings;
  const { directory, registrar, bridges, limits } = apps;
  const onFailed = (error: unknown): void => apps.log.error('the app proxy failed', { error });
  const keys = createKeys(settings, sha256);
  const answers = createAnswers(onRejected);
  const rate = (burst: number, perSecond: number): ReturnType<typeof createRates> =>
    createRates({ now: clock.elapsed, limits: { burst, perSecond, maxKeys: limits.maxRateKeys } });
  const ofCredential = rate(limits.appCredentialBurst, limits.appCredentialPerSecond);
  const ofSession = rate(limits.appSessionBurst, limits.appSessionPerSecond);

  const mcpHttp = undo.adopt(
    createMcpHttp({
      ...apps,
      sessions: undefined,
      surface: PROXY_SURFACE,
      elapsed: clock.elapsed,
      onRejected,
      isValid: ({ headers }, { id }) => keys.callerOf(headers)?.id === id,
      isThere(view) {
        const session = sessionOf(view);
        return session !== undefined && directory.isLive(session);
      },
    }),
    (it) => it.close(),
  );
  let isEnding = false;
  undo.defer(
    directory.onChange(({ kind }) => {
      if ((kind !== 'removed' && kind !== 'expired') || isEnding) return;
      isEnding = true;
      setTimeout(() => {
        isEnding = false;
        mcpHttp.endRevoked();
      }, GATHER_MS).unref();
    }),
  );

  const tooSoon = ({ app, credential }: Visitor): Wait | undefined =>
    ofCredential.take(`${app} ${credential}`);
  const route = createProxyRoutes({
    answers,
    keys,
    sessions: createSessionsApi({
      answers,
      limits,
      register: (key, body) => registrar.register(key, body),
      remove: (key, id) => registrar.remove(key, id),
      addressOf: ({ headers }) => settings.publicUrl ?? `http://${headers.host}`,
    }),
    mcp: createMcpEndpoint({
      answers,
      keys,
      directory,
      // In this order: a session over its own rate must not use up the rate of its credential.
      tooSoon: (caller, session) => ofSession.take(session.id) ?? ofCredential.take(caller.id),
      handle: (request, response, caller, session) => mcpHttp.handle(request, response, caller, session),
      onFailed,
      onRejected,
    }),
    tooSoon,
    metrics: (request, response) => showMetrics({ ...parts, answers }, request, response),
  });
  const listener = undo.adopt(
    await openProxyListener({
      answers,
      host: settings.host,
      address: shownHost(settings.host),
      port: settings.port,
      hosts: namesOf(settings),
      // Body readers have a shorter timeout of their own.
      requestMs: 2 * limits.bodyTimeoutMs,
      maxSockets: limits.maxAppSessions * SOCKETS_PER_SESSION + MORE_SOCKETS,
      keys,
      tooSoon,
      bridges: createBridgeEndpoint({
        maxFrameBytes: limits.maxFrameBytes,
        async connect(key, id, wire) {
          const bridge = await registrar.connect(key, id, wire);
          // The token may have been revoked while the bridge was connecting.
          if (!('code' in bridge) && !keys.isValidKey(key)) wire.close(CLOSE.unauthorized, REVOKED);
          return bridge;
        },
        onFailed,
      }),
      route,
      onRequest: () => parts.onRequest(),
      onRejected,
    }),
    (it) => it.close(),
  );
  return {
    ...listener,
    address: `http://${shownHost(settings.host)}:${listener.port}`,
    get settings() {
      return current;
    },
    configure(next) {
      current = next;
      keys.configure(next);
      mcpHttp.endRevoked();
      bridges.closeWhere(
        ({ app, credential }) => !keys.isValidKey({ app, credential: credential ?? '' }),
        CLOSE.unauthorized,
        REVOKED,
      );
    },
  };
}

function showMetrics(
  parts: ProxyParts & { readonly answers: Answers },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!parts.mayMeasure(request)) return parts.answers.text(response, 401);
  const { type, text } = parts.renderMetrics();
  response.writeHead(200, { 'content-type': type }).end(text);
}

/** Allowed values of the Host header besides this machine. */
const namesOf = ({ publicUrl, allowedHosts }: ProxySettings): readonly string[] => [
  ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
  ...allowedHosts,
];

/** The host as this machine reaches it. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
