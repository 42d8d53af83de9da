import type { Call } from './calls.ts';
import type { Outcome } from '../outcome.ts';
import type { CallRecord, Clock } from '../ports.ts';
import type { Route } from './route.ts';
import { hideSecrets } from '../redact/redact-secrets.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember } from '../wire/members.ts';
import { PROXY_SURFACE } from './event-record.ts';

/** A URI may be as long as a message, and have a secret in it. */
const MAX_NAME = 4_096;

/** What is kept of a call that has ended; `startedAt` is in the clock's elapsed time. */
export const recordOf = (
  { call, route }: { readonly call: Call; readonly route: Route },
  outcome: Outcome,
  clock: Clock,
  startedAt: number,
): CallRecord => ({
  at: clock.now(),
  caller: call.caller.name,
  surface: call.surface,
  server: route.server,
  method: call.method,
  tool: call.method === 'tools/call' ? route.name : hideSecrets(route.name.slice(0, MAX_NAME)),
  outcome: outcome.kind,
  code: 'reason' in outcome ? outcome.reason.code : undefined,
  durationMs: clock.elapsed() - startedAt,
  arguments: findMember(call.params, 'arguments'),
  meta: call.meta,
  session: outcome.session ?? (call.surface === PROXY_SURFACE ? call.view : call.client.session),
  answerBytes: answerOf(outcome).length,
});

function answerOf(outcome: Outcome): ByteText {
  if ('result' in outcome) return outcome.result;
  return 'error' in outcome ? outcome.error : '';
}
