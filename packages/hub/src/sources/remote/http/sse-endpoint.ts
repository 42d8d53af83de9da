/** Where messages go in the HTTP+SSE transport of 2024-11-05. Pure. */
import { PincerError } from '../../../core/errors.ts';
import { fromByteText, type ByteText } from '../../../core/wire/byte-text.ts';
import type { HttpPeer } from './http-failure.ts';

/** The path of the `endpoint` event. It has to be of the server's own origin: credentials and calls go there. */
export function endpointPath({ server, url }: HttpPeer, data: ByteText): string {
  const endpoint = URL.parse(fromByteText(data), url.href);
  if (endpoint === null)
    throw new PincerError('SERVER_PROTOCOL', `Server "${server}" names an endpoint that is no address.`);
  if (endpoint.origin !== url.origin)
    throw new PincerError(
      'SERVER_PROTOCOL',
      `Server "${server}" wants its messages sent to ${originOf(endpoint)}, which is not where it is configured.`,
      {
        hint: `Nothing was sent there. If that is its right address, put it into servers.${server}.url.`,
      },
    );
  return endpoint.pathname + endpoint.search;
}

/** Of `file:` and the like there is none. */
const originOf = ({ origin, protocol }: URL): string =>
  origin === 'null' ? `a ${protocol} address` : origin;
