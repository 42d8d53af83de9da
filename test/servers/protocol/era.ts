import type { Headers } from '../connection.ts';
import type { Era, ServerFlags } from '../flags.ts';
import type { Inbound } from '../inbound.ts';
import { envelopeOf, isModernVersion } from './modern-checks.ts';

/**
 * On a pipe, the first request fixes the era of a dual server, as in SDK servers; from then on it refuses the other
 * era. Only server/discover does not fix it, so that a client can ask before it decides.
 */
export function createPipeEra(flag: ServerFlags['era']): (inbound: Inbound) => Era {
  let settled: Era | undefined = flag === 'dual' ? undefined : flag;
  return (inbound) => {
    if (settled !== undefined) return settled;
    const era = claimsModern(inbound) ? 'modern' : 'legacy';
    const probing = era === 'modern' && inbound.method === 'server/discover';
    if (inbound.kind === 'request' && !probing) settled = era;
    return era;
  };
}

/** Over HTTP a dual server decides for each request. */
export function httpEra(flag: ServerFlags['era'], inbound: Inbound, headers: Headers): Era {
  if (flag !== 'dual') return flag;
  return claimsModern(inbound) || isModernVersion(headers['mcp-protocol-version']) ? 'modern' : 'legacy';
}

function claimsModern(inbound: Inbound): boolean {
  return envelopeOf(inbound).version !== undefined;
}
