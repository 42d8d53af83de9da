/** Runs one call of a command, from its arguments to its outcome. */
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Log } from '../../core/ports.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Prepared,
  type Running,
  type SourceRequest,
} from '../../core/request.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import {
  type CommandContext,
  type Payload,
  CommandFailure,
  type RegisteredCommand,
} from '../registry/capability.ts';
import { answerOf, outcomeOf, refused } from './answer.ts';
import type { z } from 'zod';

export interface RunParts {
  readonly log: Log;
  /** Aborted when the hub ends. */
  readonly ending: AbortSignal;
  /** Calls that are running. */
  readonly underway: Set<Underway>;
}

export interface Underway {
  readonly name: string;
  readonly settled: Promise<void>;
  /** Aborts the call and drops its result, because the command was switched off. */
  withdraw(): void;
}

type Work = (context: CommandContext) => Promise<Payload> | Payload;

export function runCommand(
  { name, command }: RegisteredCommand,
  request: SourceRequest,
  exchange: Exchange,
  parts: RunParts,
): Running {
  const work: Work = (context) =>
    command.run!(readArguments(command.input, findMember(request.params, 'arguments')), context);
  return perform({ name, command, work }, request, exchange, parts);
}

/** Asks a command what it would do. The caller's request does not run yet. */
export async function prepareCommand(
  registered: RegisteredCommand,
  request: SourceRequest,
  parts: RunParts,
): Promise<Prepared> {
  const { name, command } = registered;
  const refuse = (outcome: ReturnType<typeof outcomeOf>): Prepared => ({
    decision: 'allow',
    subject: [],
    begin(exchange) {
      exchange.settle(outcome);
      return NOTHING_RUNS;
    },
  });
  try {
    const args = readArguments(command.input, findMember(request.params, 'arguments'));
    const context = { caller: request.caller, signal: parts.ending, progress: () => undefined };
    const prepared = await command.prepare!(args, context);
    if (prepared.decision === 'deny') {
      const { reason } = prepared;
      return refuse(refused(new PincerError('POLICY_DENIED', reason), request.era, reason));
    }
    const { decision, subject, run } = prepared;
    return {
      decision,
      subject: [{ key: 'arguments', raw: jsonBytes(subject) }],
      begin: (exchange) => perform({ name, command, work: run }, request, exchange, parts),
    };
  } catch (error) {
    if (!isForeseen(error)) parts.log.error('a command of this machine failed', { command: name, error });
    return refuse(outcomeOf(error, request.era, false));
  }
}

function perform(
  { name, command, work }: Pick<RegisteredCommand, 'name' | 'command'> & { work: Work },
  request: SourceRequest,
  exchange: Exchange,
  { log, ending, underway }: RunParts,
): Running {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ending]);
  const context = { caller: request.caller, signal, progress: progressOf(request, exchange) };
  let withdrawn: CommandFailure | undefined;
  const answered = async (): Promise<Outcome> => {
    const payload = await work(context);
    if (withdrawn !== undefined) throw withdrawn;
    // A payload that JSON cannot represent is a failure of the command, too.
    return answerOf(command, payload, request.mediaBytes);
  };
  const settled = answered()
    .then(
      (outcome) => exchange.settle(outcome),
      (thrown: unknown) => {
        const error = withdrawn ?? thrown;
        if (!isForeseen(error)) log.error('a command of this machine failed', { command: name, error });
        else if (error.cause !== undefined && !signal.aborted)
          log.warn('a command of this machine failed', { command: name, error: error.cause });
        exchange.settle(outcomeOf(error, request.era, true));
      },
    )
    .finally(() => underway.delete(call));
  const call: Underway = {
    name,
    settled,
    withdraw() {
      withdrawn = new CommandFailure(`${name} was switched off on this machine while it ran`);
      stop.abort(withdrawn);
    },
  };
  underway.add(call);
  return { cancel: (reason) => stop.abort(new CommandFailure(`cancelled: ${reason}`)) };
}

const isForeseen = (error: unknown): error is CommandFailure | PincerError =>
  error instanceof CommandFailure || PincerError.is(error);

/** `null` counts as absent (seed 000). Throws the documented text for a missing argument. */
function readArguments<I extends z.ZodObject>(input: I, raw: ByteText | undefined): z.output<I> {
  const given = raw === undefined || raw === 'null' ? {} : parseBytes(raw);
  const { success, data, error } = input.safeParse(given);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const text = OF_ZOD.test(message) ? `${path.join('.') || 'The arguments'}: ${message}` : message;
  throw new CommandFailure(text, { notExecuted: true });
}

/** Messages of zod. They do not name the argument; messages of a capability do. */
const OF_ZOD = /^(?:Invalid (?:input|option|key|element|string)|Too (?:big|small)|Unrecognized key)/;

/** Reports progress if the caller sent a progress token. Drops values that do not grow (MCP, "Progress"). */
function progressOf(
  { meta }: Pick<SourceRequest, 'meta'>,
  exchange: Pick<Exchange, 'notify'>,
): CommandContext['progress'] {
  const progressToken = findMember(meta, 'progressToken');
  if (progressToken === undefined) return () => undefined;
  let last = -1;
  return (progress, total, message) => {
    if (!(progress > last)) return;
    last = progress;
    const fields = { progress, total, message };
    exchange.notify(
      'notifications/progress',
      writeMembers([], {
        progressToken,
        ...Object.fromEntries(
          Object.entries(fields).flatMap(([key, value]) =>
            value === undefined ? [] : [[key, jsonBytes(value)]],
          ),
        ),
      }),
    );
  };
}
