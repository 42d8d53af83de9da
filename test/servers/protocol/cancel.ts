import { callKey, type Connection } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import { cut } from '../json.ts';
import type { FixtureState } from '../state.ts';

/** Handles notifications/cancelled. */
export function cancel(state: FixtureState, inbound: Inbound, connection: Connection): void {
  const rawId = cut(inbound.rawParams, 'requestId') ?? 'null';
  const reason = inbound.params['reason'];
  state.calls.cancel(callKey(connection, rawId), 'notification', typeof reason === 'string' ? reason : null);
}
