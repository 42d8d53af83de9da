/** What stands in the way of an order, in our words: what happened, and what to do about it. */
import { hasCode, PincerError } from '../../core/errors.ts';
import type { OrderEnd } from '../backend.ts';
import type { Refusal } from './read-output.ts';

/** OpenClaw itself could not be started. */
export function startFailed(error: unknown, program: string): PincerError {
  const why = hasCode(error, 'ENOENT')
    ? `there is no program ${program}`
    : hasCode(error, 'EACCES')
      ? `${program} may not be run`
      : String(error instanceof Error && 'code' in error ? error.code : 'of an unknown reason');
  return new PincerError(
    'SERVER_UNREACHABLE',
    `No gateway of OpenClaw runs, and OpenClaw could not be started: ${why}.`,
    {
      hint: 'Install it with npm install -g openclaw, set agent.command to what runs it, or agent.gatewayUrl to a gateway elsewhere.',
    },
  );
}

const REFUSED = {
  gateway: {
    code: 'SERVER_BUSY',
    hint: 'With agent.backend auto the next order goes to that gateway: send it again.',
  },
  busy: {
    code: 'SERVER_BUSY',
    hint: 'Another OpenClaw runs on this machine and lets nobody else in: wait for it, or start the gateway with openclaw gateway.',
  },
  config: { code: 'SERVER_UNREACHABLE', hint: 'Run openclaw doctor --fix.' },
  agent: { code: 'ARGUMENT_INVALID', hint: 'Run openclaw agents list to see those that there are.' },
} as const;

/** OpenClaw has said no: nothing was run. */
export function refused(why: Refusal, message: string): PincerError {
  const { code, hint } = REFUSED[why];
  return new PincerError(code, `OpenClaw refused: ${message}`, { hint, data: { reason: why } });
}

/** The turn has failed. OpenClaw says what happened; what to do about it is seldom in it. */
export function withHint(message: string): { readonly message: string; readonly hint: string } {
  const hint = /auth|api key|credential|\b40[13]\b/i.test(message)
    ? "Check the model's credentials with `openclaw status` and `openclaw doctor`."
    : 'Look with `openclaw status` and `openclaw doctor` what is wrong, or ask again.';
  return { message, hint };
}

const HINT = 'Run openclaw doctor, and start the gateway with openclaw gateway for long work.';

const failed = (message: string): OrderEnd => ({ kind: 'failed', message, hint: HINT, text: '' });

export const tookTooLong = (timeoutMs: number): OrderEnd =>
  failed(`OpenClaw was stopped: it took longer than ${timeoutMs / 1_000} seconds.`);

export const saidTooMuch = (): OrderEnd => failed('OpenClaw was stopped: its answer was too long.');

/** It ended by itself, without an answer. */
export function gaveNoAnswer(exitCode: number | null, lastWords: string): OrderEnd {
  const said = lastWords === '' ? '.' : `: ${lastWords}`;
  if (exitCode !== null) return failed(`OpenClaw ended with code ${exitCode} and gave no answer${said}`);
  const reason = new PincerError(
    'SERVER_GONE',
    `OpenClaw was ended by something else before it answered${said}`,
    {
      hint: HINT,
    },
  );
  return { kind: 'lost', reason };
}
