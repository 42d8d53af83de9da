/** A WebSocket to a gateway. Nothing is said on it before it is clear whose certificate it is. */
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { readFingerprint } from '../core/fingerprint.ts';
import type { GatewayAddress } from './find.ts';

/** A gateway takes 25 MiB at once from us; a larger message than this does not come from one. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How long it may take to say goodbye. */
const GOODBYE_MS = 1_000;

/** Another certificate than the one that somebody has named. */
export class OtherCertificateError extends Error {}

type Place = Pick<GatewayAddress, 'url' | 'fingerprint'>;

export async function openWebSocket(place: Place, signal: AbortSignal): Promise<WebSocket> {
  const wire = await openWire(place, signal);
  const options = {
    createConnection: () => wire,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    closeTimeout: GOODBYE_MS,
  };
  return new WebSocket(place.url, options);
}

async function openWire({ url, fingerprint }: Place, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'wss:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port || (isTls ? 443 : 80)) };
  const wire = isTls
    ? connectTls({
        ...target,
        // SNI takes names alone, no addresses.
        servername: isIP(host) === 0 ? host : '',
        // A certificate that somebody has named is trusted, whoever has signed it.
        rejectUnauthorized: fingerprint === undefined,
      })
    : connectPlain(target);
  try {
    await once(wire, isTls ? 'secureConnect' : 'connect', { signal });
    if (isTls && fingerprint !== undefined) assertFrom(wire as TLSSocket, fingerprint);
    return wire;
  } catch (error) {
    wire.on('error', () => undefined).destroy();
    throw error;
  }
}

function assertFrom(wire: TLSSocket, fingerprint: string): void {
  const shown = readFingerprint(wire.getPeerX509Certificate()?.fingerprint256 ?? '');
  if (shown !== fingerprint)
    throw new OtherCertificateError('it shows another certificate than the one that was named');
}
