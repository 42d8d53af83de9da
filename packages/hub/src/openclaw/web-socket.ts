/** A WebSocket to a gateway. Nothing is said on it before it is clear whose certificate it is. */
import { TLSSocket } from 'node:tls';
import { Agent, buildConnector, WebSocket } from 'undici';
import { readFingerprint } from '../core/fingerprint.ts';
import type { GatewayAddress } from './find.ts';

export interface GatewayWire {
  readonly socket: WebSocket;
  /** Why it could not be connected, where that is known. */
  problem(): Error | undefined;
}

/** What a gateway takes of us is 25 MiB; one that says more than this at once is none. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Another certificate than the one that somebody has named. */
export class OtherCertificateError extends Error {}

export function openWebSocket({
  url,
  fingerprint,
}: Pick<GatewayAddress, 'url' | 'fingerprint'>): GatewayWire {
  let problem: Error | undefined;
  const dispatcher = new Agent({
    connect: pinned(fingerprint, (error) => (problem = error)),
    webSocket: { maxPayloadSize: MAX_MESSAGE_BYTES },
  });
  const socket = new WebSocket(url, { dispatcher });
  socket.addEventListener('close', () => void dispatcher.destroy());
  return { socket, problem: () => problem };
}

/** Whoever has named a certificate trusts that one, whoever has signed it; otherwise those count that the system trusts. */
function pinned(
  fingerprint: string | undefined,
  onProblem: (error: Error) => void,
): buildConnector.connector {
  const connect = buildConnector({
    rejectUnauthorized: fingerprint === undefined,
    // A session that goes on would not show its certificate again.
    maxCachedSessions: 0,
  });
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error === null && fingerprint !== undefined && !isFrom(socket, fingerprint)) {
        socket.destroy();
        return fail(new OtherCertificateError('it shows another certificate than the one that was named'));
      }
      return error === null ? done(null, socket) : fail(error);

      function fail(why: Error): void {
        onProblem(why);
        done(why, null);
      }
    });
}

/** Without TLS there is none to be compared. */
const isFrom = (socket: unknown, fingerprint: string): boolean =>
  !(socket instanceof TLSSocket) ||
  readFingerprint(socket.getPeerX509Certificate()?.fingerprint256 ?? '') === fingerprint;
