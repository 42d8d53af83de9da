/** Rows of the record: finished calls, and events of apps. */
import { viewName } from '../catalog/catalog.ts';
import type { ErrorCode } from '../errors.ts';
import type { CallFacts, CallRecord, Clock } from '../ports.ts';
import type { Call } from './calls.ts';
import type { Outcome } from '../outcome.ts';
import type { Route } from './route.ts';
import { hideSecrets } from '../redact/redact-secrets.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember } from '../wire/members.ts';

const EVENT_METHODS = [
  'sessions/create',
  'sessions/delete',
  'sessions/expire',
  'bridge/connect',
  'bridge/disconnect',
  'bridge/refused',
  'tools/changed',
] as const;

export type EventMethod = (typeof EVENT_METHODS)[number];

export interface AppEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the credential that caused it. */
  readonly caller: string;
  readonly app: string;
  readonly session: string | undefined;
  readonly method: EventMethod;
  readonly outcome: 'ok' | 'not_executed';
  readonly code?: ErrorCode | undefined;
  /** Size of the registered tools. */
  readonly argumentBytes?: number | undefined;
  /** How long the bridge was connected. */
  readonly durationMs?: number | undefined;
}

/** The app proxy; each of its views is a session of an app. */
export const PROXY_SURFACE = 'proxy';

export const eventRecord = (event: AppEvent): CallRecord => ({
  at: event.at,
  caller: event.caller,
  surface: PROXY_SURFACE,
  server: event.app,
  method: event.method,
  tool: '',
  outcome: event.outcome,
  code: event.code,
  durationMs: event.durationMs ?? 0,
  arguments: undefined,
  session: event.session,
  argumentBytes: event.argumentBytes,
});

const EVENTS: ReadonlySet<string> = new Set(EVENT_METHODS);

/** Such a row is an event, not a call; do not count it as a call. */
export const isEvent = ({ surface, method }: Pick<CallFacts, 'surface' | 'method'>): boolean =>
  surface === PROXY_SURFACE && EVENTS.has(method);

/** A URI may be as long as a message and contain a secret. */
const MAX_NAME = 4_096;

/** Builds the record of a finished call; `startedAt` is in the clock's elapsed time. */
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
  session: outcome.session ?? (call.surface === PROXY_SURFACE ? viewName(call.view) : call.client.session),
  answerBytes: answerOf(outcome).length,
});

function answerOf(outcome: Outcome): ByteText {
  if ('result' in outcome) return outcome.result;
  return 'error' in outcome ? outcome.error : '';
}
