/**
 * What the scripted model does is written in the person's own message:
 *   call:<tool> {json}           calls the tool, then says RESULT(<what it answered>)
 *   repeat:N call:<tool> {json}  calls it N times, one after the other; "$N" in the arguments is the number of the call
 *   anything else                is repeated: echo: <message>
 */
import type { Turn } from '../model-endpoint.ts';
import { type CompletionsMessage, textOf } from '../models/completions-api.ts';

/** What OpenClaw adds to a conversation: a message of its own, and around the person's the time and a line about itself. */
const ADDED = [
  /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/g,
  /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \w+\] /gm,
  /^Runtime: agent=.*$/gm,
];
const LINE = /(?:repeat:(\d+)\s+)?call:([\w.-]+)[ \t]*(\{.*\})?/g;

/** What the person said last, and what tools have answered since. */
export function lastExchange(messages: readonly CompletionsMessage[]): { said: string; answers: string[] } {
  const own = messages.map((message) => ({
    role: message.role,
    text: ADDED.reduce((text, added) => text.replaceAll(added, ''), textOf(message)).trim(),
  }));
  const at = own.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  return {
    said: own[at]?.text ?? '',
    answers: own.slice(at + 1).flatMap(({ role, text }) => (role === 'tool' ? text : [])),
  };
}

export function nextTurn(messages: readonly CompletionsMessage[]): Turn {
  const { said, answers } = lastExchange(messages);
  const [, times = '1', tool, input = '{}'] = [...said.matchAll(LINE)].at(-1) ?? [];
  if (tool === undefined) return { say: `echo: ${said}` };
  if (answers.length >= Number(times)) return { say: `RESULT(${answers.at(-1)})` };
  const numbered = input.replaceAll('$N', String(answers.length));
  return {
    call: { name: tool, input: JSON.parse(numbered) as object },
    id: `call_${crypto.randomUUID().replaceAll('-', '')}`,
  };
}
