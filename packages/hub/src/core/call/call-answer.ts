/** What a source's outcome is to the caller. */
import { readInputRequired, type InputRequired } from '../bridge/input-required.ts';
import { resultInEra } from '../bridge/result-in-era.ts';
import { unreadable } from '../bridge/unreadable.ts';
import type { Call } from './calls.ts';
import type { Answered, Outcome } from '../outcome.ts';
import type { Route } from './route.ts';
import type { TaskBook } from './task-book.ts';
import { taskIdIn } from './task-id.ts';

export interface AnswerSubject {
  readonly call: Call;
  readonly route: Route;
  readonly tasks: TaskBook;
}

/** What a legacy caller has to be asked before it can be answered, or the answer in the caller's era. */
export function readAnswer(outcome: Outcome, subject: AnswerSubject): Outcome | InputRequired {
  if (!('result' in outcome)) return outcome;
  const { method, era } = subject.call;
  const mayAsk = outcome.era === 'modern' && era === 'legacy' && method !== 'completion/complete';
  try {
    return (mayAsk ? readInputRequired(outcome.result) : undefined) ?? inCallersEra(outcome, subject);
  } catch (error) {
    return unreadable(error);
  }
}

function inCallersEra(outcome: Answered, { call, route, tasks }: AnswerSubject): Outcome {
  const { era, method, caller } = call;
  const { tool, server } = route;
  const task = method === 'tools/call' ? taskIdIn(outcome.result) : undefined;
  if (task !== undefined) tasks.remember(caller.id, task, server);
  // Some modern servers leave out what the specification wants on every result.
  if (outcome.era === era && (era === 'legacy' || outcome.result.includes('"resultType"'))) return outcome;
  const result = resultInEra(outcome.result, era, { method, tool: tool?.definition });
  return { ...outcome, era, result, pieces: undefined };
}
