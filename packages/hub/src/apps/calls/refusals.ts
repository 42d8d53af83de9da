/** Why a call of an app's tool ended without an answer. */
import { PincerError } from '../../core/errors.ts';

/** The words are those of the document that the proxy follows. */
export const notConnected = (): PincerError =>
  new PincerError('BRIDGE_NOT_CONNECTED', 'Bridge is not connected', {
    hint: 'The app of this session is not there, and nothing was run. Start or reload the app, then repeat the call.',
  });

export const bridgeLost = (): PincerError =>
  new PincerError('BRIDGE_LOST', 'The app was lost while it worked on the call.', {
    hint: 'Check whether the call took effect before you repeat it.',
  });

export const sessionUnknown = (): PincerError =>
  new PincerError('SESSION_UNKNOWN', 'There is no such session, or it has expired.', {
    hint: 'The app has to create a new session; use the address that it gets.',
  });

export const toolGone = (): PincerError =>
  new PincerError('TOOL_UNKNOWN', 'The app no longer has this tool. It was not run.', {
    hint: 'List the tools again.',
  });

export const tooManyCalls = (limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `The app has ${limit} calls of this session to answer.`, {
    hint: 'Nothing was run. Repeat the call when some have been answered, or raise limits.maxCallsPerAppSession.',
    data: { limit },
  });

export const unreadCalls = (): PincerError =>
  new PincerError('SERVER_BUSY', 'The app does not read what it is sent.', {
    hint: 'Nothing was run. Repeat the call in a moment.',
  });

export const argumentsTooLarge = (limit: number): PincerError =>
  new PincerError('ARGUMENT_INVALID', `The call has more than ${limit} bytes, which the app does not take.`, {
    hint: 'Nothing was run. Send less at once.',
    data: { limit },
  });

export const noAnswer = (ms: number): PincerError =>
  new PincerError('CALL_TIMEOUT', `The app did not answer within ${ms / 1_000} s.`, {
    hint: 'Check whether the call took effect before you repeat it. limits.appCallMs says how long an app may take.',
  });

export const unreadableAnswer = (why: string): PincerError =>
  new PincerError('SERVER_PROTOCOL', `The answer of the app cannot be read: ${why}`, {
    hint: 'Check whether the call took effect before you repeat it. The app was told what is wrong with its answer.',
  });

export const cancelled = (why: string): PincerError =>
  new PincerError('CALL_CANCELLED', `Cancelled: ${why}.`);
