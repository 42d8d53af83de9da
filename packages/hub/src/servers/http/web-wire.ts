/** HTTP with either of its two transports. */
import type { PincerError } from '../../core/errors.ts';
import { MODERN_VERSION } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { noPause } from './throttle.ts';
import { openHttpWire, type HttpWireOptions } from './http-wire.ts';
import { openSseWire } from './sse-wire.ts';
import type { OpenWire, Outgoing, Wire, WireEvents } from '../wire.ts';

/**
 * Streamable HTTP first. If a server refuses `initialize` as unknown, tries HTTP+SSE (2025-03-26 transports, "Backwards
 * Compatibility"). If that works, sends the same `initialize` and everything after it there; if not, reports the
 * refusal. Remembers the result for the next connection.
 */
export const openWebWire = (parts: HttpWireOptions): OpenWire => {
  const options = { pause: noPause(), ...parts };
  /** The refusal of Streamable HTTP by a server that is known to have the old transport. */
  let known: PincerError | undefined;

  return (events) => {
    let version: string | undefined;
    let initialize: { readonly message: ByteText; readonly about: Outgoing } | undefined;
    let old: Wire | undefined;
    let isOld = false;
    const http = openHttpWire(options)({
      ...events,
      onRequestLost(id, wasSent, reason) {
        if (id === initialize?.about.id && isNotThere(reason)) fallBack(reason);
        else events.onRequestLost(id, wasSent, reason);
      },
    });

    function fallBack(refusal: PincerError): void {
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
        else if (about.method === 'initialize') fallBack(known);
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

/** 401, 403 and 429 have other meanings: authentication and rate. */
const isNotThere = (reason: PincerError): boolean =>
  [400, 404, 405].includes(Number(reason.data?.['status']));

/** A web page, or a refusal of event streams. */
const isNoStream = (reason: PincerError): boolean => [200, 406].includes(Number(reason.data?.['status']));

/** Answers with the known refusal, without a request. */
function refuseModern(refusal: PincerError, { id }: Outgoing, events: WireEvents): void {
  if (id !== undefined) queueMicrotask(() => events.onRequestLost(id, false, refusal));
}
