/** Why an agent has no answer, and what to do about it. OpenClaw says the first; the second is seldom in it. */
import { asSentence } from '../../../core/as-sentence.ts';

interface Failure {
  readonly message: string;
  readonly hint: string;
}

/** OpenClaw 2026.9.6 says this of a turn that begins while it takes in a change of its configuration. */
const WHILE_READING =
  /\bprepared (?:model runtime|reply dispatch|inbound plugin)\b.*\b(?:superseded|not published|pending|settling|no publication progress)\b/i;

export function explainFailure(said: string): Failure {
  if (WHILE_READING.test(said)) return CHANGING;
  const message = asSentence(said);
  if (/authenticat|api key|credential|unauthori[sz]ed|HTTP 40[13]/i.test(said))
    return { message, hint: "Check the model's credentials with `openclaw status` and `openclaw doctor`." };
  if (/couldn't generate a response/i.test(said))
    return {
      message,
      hint: 'The model answered nothing. Ask again, or see what happened with `openclaw logs`.',
    };
  return { message, hint: 'Ask again, or see what happened with `openclaw logs`.' };
}

const CHANGING: Failure = {
  message: 'OpenClaw was taking in a change of its configuration, and its agent did not answer.',
  hint: 'Ask again in a moment.',
};

export const SWALLOWED: Failure = {
  message: 'Somebody else is talking in this conversation, and OpenClaw has put the message into their turn.',
  hint: 'Ask for the outcome with the same sessionKey in a moment, or use another sessionKey.',
};
