/** What apps do besides being called, as rows of the same record: who registered what, whose bridge came and went. */
import type { ErrorCode } from '../errors.ts';
import type { CallFacts, CallRecord } from '../ports.ts';

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
  /** Who did it: the name of the credential. */
  readonly caller: string;
  readonly app: string;
  readonly session: string | undefined;
  readonly method: EventMethod;
  readonly outcome: 'ok' | 'not_executed';
  readonly code?: ErrorCode | undefined;
  /** Of what was registered. */
  readonly argumentBytes?: number | undefined;
  /** How long a bridge was there. */
  readonly durationMs?: number | undefined;
}

/** The app proxy: a view of it is a session of an app. */
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

/** Such a row is no call: whoever counts calls leaves it out. */
export const isEvent = ({ surface, method }: Pick<CallFacts, 'surface' | 'method'>): boolean =>
  surface === PROXY_SURFACE && EVENTS.has(method);
