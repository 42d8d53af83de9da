/** The tools of apps as a source: of one session by itself, or of all sessions of an app. */
import { PincerError } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type Source,
  type SourceRequest,
} from '../core/request.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import { NO_SUCH_METHOD } from '../core/wire/message.ts';
import { findMember } from '../core/wire/members.ts';
import type { Bridges } from './calls/bridges.ts';
import { cancelled, notConnected, sessionUnknown, toolGone } from './refusals.ts';
import type { Fault } from './registration/check-arguments.ts';
import { sessionOf, type Session, type SessionDirectory } from './directory/session-directory.ts';
import { byLatest } from './tools/app-offers.ts';
import type { PreparedTools } from './tools/prepared-tools.ts';

export interface BridgeSourceParts {
  readonly directory: Pick<SessionDirectory, 'isLive' | 'list'>;
  readonly bridges: Bridges;
  prepare(session: Session): PreparedTools;
}

export interface BridgeSource {
  /** A request's view is the session that it is for. */
  readonly ofSessions: Source;
  ofApp(app: string): Source;
}

export function createBridgeSource({ directory, bridges, prepare }: BridgeSourceParts): BridgeSource {
  function call(session: Session | undefined, request: SourceRequest, exchange: Exchange): Running {
    if (request.method !== 'tools/call')
      return refuse(exchange, { kind: 'tool_error', error: NO_SUCH_METHOD, extra: '' });
    // Checked again, because the call may have waited for a person, and the session ended meanwhile.
    if (session === undefined || !directory.isLive(session))
      return refuse(exchange, notExecuted(sessionUnknown()));
    const tool = prepare(session).find(request.name ?? '');
    if (tool === undefined) return refuse(exchange, notExecuted(toolGone()));
    const fault = tool.check(findMember(request.params, 'arguments') ?? '{}');
    return fault === undefined
      ? bridges.call(session, request, exchange)
      : refuse(exchange, badArguments(fault));
  }

  /** Returns the connected session with the latest bridge that has the tool, else one whose app reconnects. Prepares no session. */
  async function pick(app: string, tool: string): Promise<Session | undefined> {
    const able = byLatest(await directory.list(app)).filter(({ tools }) =>
      tools.some(({ name }) => name === tool),
    );
    return able.find(({ bridge }) => bridge !== undefined) ?? able.find(({ saysHello }) => saysHello);
  }

  return {
    ofSessions: source('apps', (request, exchange) => call(sessionOf(request.view), request, exchange)),
    ofApp: (app) =>
      source(app, (request, exchange) =>
        later(
          exchange,
          pick(app, request.name ?? '').then((session) =>
            session === undefined
              ? () => refuse(exchange, notExecuted(notConnected()))
              : () => call(session, request, forSession(session.id, exchange)),
          ),
        ),
      ),
  };
}

/** Starts a call once its destination is known. A call that is cancelled before that never runs. */
function later(exchange: Exchange, known: Promise<() => Running>): Running {
  let running: Running | undefined;
  let hasEnded = false;
  function end(outcome: Outcome): void {
    if (hasEnded) return;
    hasEnded = true;
    exchange.settle(outcome);
  }
  function begin(start: () => Running): void {
    if (hasEnded) return;
    try {
      running = start();
    } catch (error) {
      // It may have been sent, as when a source throws at once (core/call/tracked-call.ts).
      end(outcomeUnknown(PincerError.from(error)));
    }
  }
  known.then(begin, (error: unknown) => end(notExecuted(PincerError.from(error))));
  return {
    cancel(reason) {
      if (running === undefined) end(notExecuted(cancelled(reason)));
      else running.cancel(reason);
    },
  };
}

const source = (name: string, request: Source['request']): Source => ({
  name,
  request,
  watch: () => Promise.reject(new PincerError('RESOURCE_UNKNOWN', 'Apps have no resources.')),
  tell: () => undefined,
  forget: () => undefined,
});

/** Adds the session to the outcome, for the audit record. */
const forSession = (session: string, exchange: Exchange): Exchange => ({
  notify: (method, params) => exchange.notify(method, params),
  ask: (question) => exchange.ask(question),
  settle: (outcome) => exchange.settle({ ...outcome, session }),
});

function refuse(exchange: Exchange, outcome: Outcome): Running {
  exchange.settle(outcome);
  return NOTHING_RUNS;
}

/** 2025-11-25, tools: invalid arguments are reported in a result, so that the model can correct them. */
const badArguments = ({ message, hint, path }: Fault): Outcome => ({
  kind: 'not_executed',
  reason: new PincerError('ARGUMENT_INVALID', message, { hint, data: { path } }),
  shown: jsonBytes({
    content: [{ type: 'text', text: `${message} ${hint}` }],
    isError: true,
    resultType: 'complete',
  }),
});
