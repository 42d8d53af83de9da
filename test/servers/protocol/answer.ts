import { refuse, type Connection, type Decision } from '../connection.ts';
import type { Era } from '../flags.ts';
import type { Inbound } from '../inbound.ts';
import { RpcError } from '../outbound.ts';
import type { FixtureState } from '../state.ts';
import { answerLegacy } from './legacy.ts';
import { answerModern } from './modern.ts';

/** Decides how to handle a message in the given era. */
export function answerIn(era: Era, state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  try {
    return (era === 'modern' ? answerModern : answerLegacy)(state, inbound, connection);
  } catch (error) {
    if (error instanceof RpcError) return refuse(inbound, error.body);
    throw error;
  }
}
