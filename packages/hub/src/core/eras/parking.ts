/** Calls that a server holds open while a modern client, which hears of its questions in a result, thinks about them. */
export interface Parkable {
  /** The server that holds it open. */
  readonly server: string;
  /** Nobody came back for it. */
  expire(): void;
}

export interface Parking {
  /** Undefined: this caller has too many there already. */
  park(caller: string, call: Parkable): string | undefined;
  /** Gives it out once, and to the caller that it belongs to. */
  claim(caller: string, id: string): Parkable | undefined;
  /** Gives up the one at this server that has waited longest for this caller; false: there is none. */
  expireOldest(caller: string, server: string): boolean;
  /** Gives up all of this caller. */
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
