/** Calls that a legacy server holds open while a modern client answers its questions. The client got them in a result. */
export interface Parkable {
  /** The server that holds it open. */
  readonly server: string;
  /** Called if the client did not return in time. */
  expire(): void;
}

export interface Parking {
  /** Returns undefined if this caller has too many parked calls. */
  park(caller: string, call: Parkable): string | undefined;
  /** Returns the call once, and only to its own caller. */
  claim(caller: string, id: string): Parkable | undefined;
  /** Expires this caller's oldest call at this server. Returns false without such a call. */
  expireOldest(caller: string, server: string): boolean;
  /** Expires all calls of this caller. */
  expireAll(caller: string): void;
}

export interface ParkingLimits {
  readonly maxParkedCalls: number;
  readonly questionTimeoutMs: number;
}

interface Place {
  readonly caller: string;
  readonly call: Parkable;
  readonly timer: NodeJS.Timeout;
}

export function createParking(limits: ParkingLimits): Parking {
  const places = new Map<string, Place>();
  const counts = new Map<string, number>();

  function leave(id: string): Place | undefined {
    const place = places.get(id);
    if (place === undefined) return undefined;
    places.delete(id);
    clearTimeout(place.timer);
    const left = counts.get(place.caller)! - 1;
    if (left === 0) counts.delete(place.caller);
    else counts.set(place.caller, left);
    return place;
  }

  return {
    park(caller, call) {
      const count = counts.get(caller) ?? 0;
      if (count >= limits.maxParkedCalls) return undefined;
      counts.set(caller, count + 1);
      const id = crypto.randomUUID();
      const timer = setTimeout(() => leave(id)?.call.expire(), limits.questionTimeoutMs).unref();
      places.set(id, { caller, call, timer });
      return id;
    },
    expireOldest(caller, server) {
      for (const [id, place] of places) {
        if (place.caller !== caller || place.call.server !== server) continue;
        leave(id);
        place.call.expire();
        return true;
      }
      return false;
    },
    expireAll(caller) {
      for (const [id, place] of places) if (place.caller === caller) leave(id)?.call.expire();
    },
    claim: (caller, id) => (places.get(id)?.caller === caller ? leave(id)?.call : undefined),
  };
}
