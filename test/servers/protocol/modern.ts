import { refuse, type Connection, type Decision } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import type { JsonObject } from '../json.ts';
import { resultMessage } from '../outbound.ts';
import type { FixtureState } from '../state.ts';
import { callerOf, callTool, type Call } from './call-tool.ts';
import { cancel } from './cancel.ts';
import { listTools } from './list-tools.ts';
import { listen } from './listen.ts';
import { envelopeOf, refusalOf } from './modern-checks.ts';
import { serveMore } from './serve-more.ts';
import { capabilitiesOf } from './talk-offer.ts';

const CACHE_HINTS = { ttlMs: 0, cacheScope: 'private' };

/** The protocol of 2026-07-28: every request is independent. */
export function answerModern(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  if (inbound.kind === 'notification' && inbound.method === 'notifications/cancelled') {
    cancel(state, inbound, connection);
  }
  if (inbound.kind !== 'request') return { kind: 'accepted' };
  const refusal = refusalOf(inbound, connection.headers);
  if (refusal !== undefined) return refuse(inbound, refusal, 400);

  const write = (result: object) => JSON.stringify(complete(state, result));
  const answer = (result: JsonObject): Decision => ({
    kind: 'answer',
    status: 200,
    message: resultMessage(inbound.rawId, write(result)),
  });
  const caller = { ...callerOf('modern', connection), ...envelopeOf(inbound) };
  const call: Call = { state, inbound, connection, caller, write };
  switch (inbound.method) {
    case 'server/discover':
      return answer(discover(state));
    case 'tools/list':
      return answer({ ...listTools(state, inbound), ...CACHE_HINTS });
    case 'tools/call':
      return callTool(call);
    case 'subscriptions/listen':
      return listen(state, inbound, connection);
    default: {
      const served = serveMore(call);
      if (served !== undefined) return served;
      return refuse(inbound, { code: -32601, message: `Method not found: ${inbound.method}` }, 404);
    }
  }
}

function discover(state: FixtureState): JsonObject {
  return {
    supportedVersions: ['2026-07-28'],
    capabilities: capabilitiesOf(state, 'modern'),
    ...CACHE_HINTS,
  };
}

function complete(state: FixtureState, result: object): object {
  const _meta = { 'io.modelcontextprotocol/serverInfo': state.serverInfo };
  return { resultType: 'complete', ...result, _meta };
}
