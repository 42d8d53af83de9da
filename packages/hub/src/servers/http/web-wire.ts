/** HTTP, by whichever of its two transports the server has. */
import type { PincerError } from '../../core/errors.ts';
import { MODERN_VERSION } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { noPause } from './courtesy.ts';
import { openHttpWire, type HttpWireOptions } from './http-wire.ts';
import { openSseWire } from './sse-wire.ts';
import type { OpenWire, Outgoing, Wire, WireEvents } from '../wire.ts';

/**
 * Streamable HTTP first. A server that refuses `initialize` there as one refuses what it does not know is asked for the
 * stream of HTTP+SSE (2025-03-26 transports, "Backwards Compatibility"). If it has one, the same `initialize` goes
 * there, and all that comes after it; if not, the refusal stands. What a server turned out to have is remembered for
 * its next connection.
 */
export const openWebWire = (parts: HttpWireOptions): OpenWire => {
  const options = { pause: noPause(), ...parts };
  /** How it refuses Streamable HTTP, where it is known to have the old transport. */
  let known: PincerError | undefined;

  return (events) => {
    let version: string | undefined;
    let initialize: { readonly message: ByteText; readonly about: Outgoing } | undefined;
    let old: Wire | undefined;
    let isOld = false;
    const http = openHttpWire(options)({
      ...events,
      onRequestLost(id, wasSent, reason) {
        if (id === initialize?.about.id && isNotThere(reason)) turn(reason);
        else events.onRequestLost(id, wasSent, reason);
      },
    });

    function turn(refusal: PincerError): void {
      const { message, about } = initialize!;
      const attempt = openSseWire({
        ...options,
        onOpen() {
          isOld = true;
          known = refusal;
          void http.close();
        },
      })({ ...events, onClosed: (reason) => (isOld ? events.onClosed(reason) : giveUp(reason)) });
      old = attempt;
      attempt.send(message, about);

      function giveUp(reason: PincerError): void {
        known = undefined;
        old = undefined;
        const why = isNotThere(reason) || isNoStream(reason) ? refusal : reason;
        events.onRequestLost(about.id!, false, why);
      }
    }

    return {
      isReady: true,
      get session() {
        return isOld ? undefined : http.session;
      },
      send(message, about) {
        if (isOld) return old!.send(message, about);
        if (about.method === 'initialize') initialize = { message, about };
        if (known === undefined) http.send(message, about);
        else if (version === MODERN_VERSION) refuseModern(known, about, events);
        else if (about.method === 'initialize') turn(known);
      },
      forget(id) {
        if (isOld) return old!.forget(id);
        if (id === initialize?.about.id) {
          void old?.close();
          old = undefined;
        }
        return http.forget(id);
      },
      speak(value) {
        version = value;
        http.speak(value);
      },
      listen() {
        if (!isOld) http.listen();
      },
      async close() {
        await Promise.all([http.close(), old?.close()]);
      },
    } satisfies Wire;
  };
};

/** 401, 403 and 429 mean something else: who you are, how often you knock. */
const isNotThere = (reason: PincerError): boolean =>
  [400, 404, 405].includes(Number(reason.data?.['status']));

/** A page, or a refusal of what was asked for. */
const isNoStream = (reason: PincerError): boolean => [200, 406].includes(Number(reason.data?.['status']));

/** It did so before, and is not bothered again. */
function refuseModern(refusal: PincerError, { id }: Outgoing, events: WireEvents): void {
  if (id !== undefined) queueMicrotask(() => events.onRequestLost(id, false, refusal));
}
