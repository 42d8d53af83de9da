/** Authenticates apps and callers by token. Tokens are compared as digests, so that timing reveals nothing. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Visitor } from '../../core/app-bridge.ts';
import { ANONYMOUS_APP, SHARED_APP } from '../../core/app-names.ts';
import type { Caller } from '../../core/caller.ts';

export interface KeySettings {
  /** Shared by all apps without a token of their own. */
  readonly appToken: string | undefined;
  readonly openClawToken: string | undefined;
  readonly apps: readonly {
    readonly name: string;
    readonly tokenHash: string;
    /** Origins of its web pages. */
    readonly origins: readonly string[];
  }[];
  /** Whether apps may register without a token. */
  readonly takesAnonymous: boolean;
}

export interface Keys {
  /** Returns the app with this token. */
  appOf(headers: IncomingHttpHeaders): Visitor | undefined;
  /** Whether the token of a bridge is still valid. */
  isValidKey(key: Visitor): boolean;
  /** Whether a page of this origin may use the app's token. */
  mayComeFrom(app: string, origin: string): boolean;
  /** Returns the caller with this token. */
  callerOf(headers: IncomingHttpHeaders): Caller | undefined;
  /** Grows on every change and invalidates cached results. */
  readonly version: number;
  isKnownOrigin(origin: string): boolean;
  configure(settings: KeySettings): void;
}

/** Not `\S`: a UTF-8 byte read as latin1 may look like white space. */
const BEARER = /^Bearer +([^ \t]{1,1024}) *$/i;

/** A browser cannot send headers with a WebSocket, so it sends its token as a second subprotocol. */
export const BRIDGE_PROTOCOL = 'pincer.bridge';
const TOKEN_PROTOCOL = 'pincer.token.';

const CALLER: Caller = { id: 'proxy', name: 'proxy', scopes: {} };
const ANONYMOUS_CALLER: Caller = { id: 'proxy:anonymous', name: 'anonymous', scopes: {} };

export function createKeys(initial: KeySettings, digest: (text: string) => string): Keys {
  let settings = initial;
  let apps = new Map<string, string>();
  let origins = new Map<string, ReadonlySet<string>>();
  let callerDigest: string | undefined;
  let version = 0;

  function configure(next: KeySettings): void {
    settings = next;
    version++;
    callerDigest = next.openClawToken === undefined ? undefined : digest(next.openClawToken);
    apps = new Map(next.apps.map(({ tokenHash, name }) => [tokenHash, name]));
    if (next.appToken !== undefined) apps.set(digest(next.appToken), SHARED_APP);
    origins = new Map(next.apps.map(({ name, origins: own }) => [name, new Set(own)]));
  }

  function appOf(headers: IncomingHttpHeaders): Visitor | undefined {
    if (settings.takesAnonymous) return { app: ANONYMOUS_APP, credential: '' };
    const token = bearerOf(headers) ?? protocolToken(headers['sec-websocket-protocol']);
    if (token === undefined) return undefined;
    const credential = digest(token);
    const app = apps.get(credential);
    return app === undefined ? undefined : { app, credential };
  }

  configure(initial);
  return {
    configure,
    get version() {
      return version;
    },
    appOf,
    isValidKey: ({ app, credential }) =>
      settings.takesAnonymous ? app === ANONYMOUS_APP : apps.get(credential) === app,
    mayComeFrom: (app, origin) => origins.get(app)?.has(origin) === true,
    callerOf(headers) {
      if (callerDigest === undefined) return ANONYMOUS_CALLER;
      const token = bearerOf(headers);
      return token !== undefined && digest(token) === callerDigest ? CALLER : undefined;
    },
    isKnownOrigin: (origin) => [...origins.values()].some((own) => own.has(origin)),
  };
}

const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined => {
  const found = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  // Node reads headers as latin1.
  return found === undefined ? undefined : Buffer.from(found, 'latin1').toString('utf8');
};

function protocolToken(offered: string | undefined): string | undefined {
  const mark = offered
    ?.split(',')
    .map((each) => each.trim())
    .find((each) => each.startsWith(TOKEN_PROTOCOL));
  return mark === undefined
    ? undefined
    : Buffer.from(mark.slice(TOKEN_PROTOCOL.length), 'base64url').toString('utf8');
}
