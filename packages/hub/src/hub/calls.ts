/** The way of calls: the same for a hub and for `pincer mcp-server`. */
import { createRequestStates } from '../core/bridge/request-state.ts';
import { createCalls, type Calls, type CallsParts } from '../core/call/calls.ts';
import type { Limits } from '../core/limits.ts';
import type { Sealer } from '../core/ports.ts';
import { sha256 } from './sha256.ts';

export interface HubCallsParts extends Omit<CallsParts, 'questionTimeoutMs' | 'states'> {
  readonly limits: Pick<Limits, 'questionTimeoutMs'>;
  readonly sealer: Sealer;
}

export function createHubCalls({ limits, sealer, ...parts }: HubCallsParts): Calls {
  const { questionTimeoutMs } = limits;
  const { clock } = parts;
  const states = createRequestStates({ sealer, digest: sha256, clock, ttlMs: questionTimeoutMs });
  return createCalls({ ...parts, questionTimeoutMs, states });
}
