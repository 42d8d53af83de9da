import { refuse, type Connection, type Decision } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import type { JsonObject } from '../json.ts';
import { notificationMessage, resultMessage } from '../outbound.ts';
import type { FixtureState } from '../state.ts';
import { callerOf, callTool, type Call } from './call-tool.ts';
import { cancel } from './cancel.ts';
import { stringArg } from '../tool.ts';
import { listTools } from './list-tools.ts';
import { serveMore } from './serve-more.ts';
import { capabilitiesOf } from './talk-offer.ts';

const LATEST = '2025-11-25';
export const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', LATEST];

/** The protocol up to 2025-11-25: a handshake, then requests. */
export function answerLegacy(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  if (inbound.kind === 'response') return settle(state, inbound, connection);
  if (inbound.kind === 'notification') return heed(state, inbound, connection);
  switch (inbound.method) {
    case 'initialize':
      return answer(inbound, initialize(state, inbound, connection));
    case 'ping':
      return answer(inbound, {});
    case 'logging/setLevel':
      connection.logLevel = stringArg(inbound.params, 'level');
      return answer(inbound, {});
    case 'tools/list':
    case 'tools/call':
      return serve(state, inbound, connection);
    default: {
      const served = serveMore(callOf(state, inbound, connection));
      if (served !== undefined) return served;
      return refuse(inbound, { code: -32601, message: `Method not found: ${inbound.method}` });
    }
  }
}

function initialize(state: FixtureState, inbound: Inbound, connection: Connection): JsonObject {
  const asked = inbound.params['protocolVersion'];
  const protocolVersion = LEGACY_VERSIONS.find((version) => version === asked) ?? LATEST;
  connection.version = protocolVersion;
  connection.client = {
    info: inbound.params['clientInfo'] ?? null,
    capabilities: inbound.params['capabilities'] ?? null,
  };
  return { protocolVersion, capabilities: capabilitiesOf(state, 'legacy'), serverInfo: state.serverInfo };
}

function serve(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  if (connection.version === undefined) {
    return refuse(inbound, { code: -32600, message: 'Not initialized' });
  }
  if (inbound.method === 'tools/call') return callTool(callOf(state, inbound, connection));
  return answer(inbound, listTools(state, inbound));
}

const callOf = (state: FixtureState, inbound: Inbound, connection: Connection): Call => ({
  state,
  inbound,
  connection,
  caller: callerOf('legacy', connection),
  write: (result) => JSON.stringify(result),
});

function settle(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  state.questions.settle(connection, inbound);
  return { kind: 'accepted' };
}

function heed(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  if (inbound.method === 'notifications/cancelled') cancel(state, inbound, connection);
  if (inbound.method === 'notifications/initialized') {
    state.subscribers.set(connection, (method) => connection.push(notificationMessage(method)));
  }
  return { kind: 'accepted' };
}

function answer(inbound: Inbound, result: JsonObject): Decision {
  return { kind: 'answer', status: 200, message: resultMessage(inbound.rawId, JSON.stringify(result)) };
}
