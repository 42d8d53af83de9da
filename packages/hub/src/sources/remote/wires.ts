/** The ways to one server: one for all, or one for each caller who signs in for themselves. */
import { isPerCaller } from './connection/connection-key.ts';
import type { TokenOwner, TokensOfServer } from './oauth/grants/tokens.ts';
import { openWireFor, type OpenWireParts } from './open-wire.ts';
import type { OpenWire } from './wire.ts';

export interface WiresParts extends Omit<OpenWireParts, 'server' | 'tokens'> {
  readonly name: string;
  readonly tokens?: TokensOfServer | undefined;
}

export interface Wires {
  /** On behalf of this caller; undefined: of all. */
  of(caller: TokenOwner | undefined): OpenWire;
}

export function createWires(parts: WiresParts): Wires {
  const wires = new Map<string | undefined, OpenWire>();
  return {
    of(caller) {
      const who = isPerCaller(parts.config) ? caller : undefined;
      let wire = wires.get(who?.id);
      if (wire === undefined) {
        wire = openWireFor({ ...parts, server: parts.name, tokens: parts.tokens?.of(who) });
        wires.set(who?.id, wire);
      }
      return wire;
    },
  };
}
