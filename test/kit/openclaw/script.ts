/**
 * The scripted model follows the person's own message:
 *   call:<tool> {json}           calls the tool, then answers RESULT(<its result>)
 *   at once: call:<tool> {json} call:<tool> {json} …
 *                                calls them in one message, then answers RESULT(<each result in its own brackets>)
 *   repeat:N call:<tool> {json}  calls it N times, one after the other; "$N" in the arguments is the number of the call
 *   aside:<text>; call:…         writes the text before each call, word by word
 *   preamble:<text>; call:…      writes it before each call, in one piece, with "|" for a line break
 *   hold:<name>                  writes this word, then pauses until a test releases it
 *   fail:<status>                fails with this HTTP status
 *   say:nothing                  answers with an empty text
 *   what did I say?              SAID(<the person's earlier messages, each in its own brackets>)
 *   anything else                echo: <message>
 */
import { type Completion, type CompletionsMessage, imagesOf, textOf } from '../models/completions-api.ts';

export interface Scripted extends Completion {
  /** An HTTP status in place of an answer. */
  fail?: number;
  /** The name of the pause after the first text. */
  hold?: string;
}

/** What OpenClaw adds to a conversation: its own messages, and the time and a line about itself around the person's. */
const ADDED = [
  /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/g,
  /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \w+\] /gm,
  /^Runtime: agent=.*$/gm,
  /^The previous attempt did not produce a user-visible answer\..*$/gm,
  /^Continue the current task from the existing transcript,.*$/gm,
];
const LINE = /(?:(aside|preamble):(.*?); )?(?:repeat:(\d+)\s+)?call:([\w.-]+)[ \t]*(\{.*\})?/g;

interface Exchange {
  /** The person's last message. */
  message: string;
  /** The person's earlier messages. */
  before: string[];
  /** Tool results since the last message. */
  answers: string[];
  /** `data:` URLs of the images in the last message. */
  images: string[];
}

export function lastExchange(messages: readonly CompletionsMessage[]): Exchange {
  const own = messages.map((message) => ({
    role: message.role,
    text: ADDED.reduce((text, added) => text.replaceAll(added, ''), textOf(message)).trim(),
  }));
  const at = own.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  return {
    message: own[at]?.text ?? '',
    before: own.slice(0, Math.max(at, 0)).flatMap(({ role, text }) => (role === 'user' && text) || []),
    answers: own.slice(at + 1).flatMap(({ role, text }) => (role === 'tool' ? text : [])),
    images: messages.slice(at).flatMap(imagesOf),
  };
}

export function nextTurn(messages: readonly CompletionsMessage[]): Scripted {
  const { message, before, answers } = lastExchange(messages);
  if (message.startsWith('at once:')) return atOnce(message, answers);
  const [, how, first = '', times = '1', tool, input = '{}'] = [...message.matchAll(LINE)].at(-1) ?? [];
  if (tool !== undefined && answers.length >= Number(times)) return { say: [`RESULT(${answers.at(-1)})`] };
  if (tool !== undefined) {
    const numbered = JSON.parse(input.replaceAll('$N', String(answers.length))) as object;
    // OpenClaw treats text in one piece right before a call as an action, not as a message.
    const say = how === 'preamble' ? [first.replaceAll('|', '\n')] : (first.match(/\S+\s*/g) ?? []);
    return { say, calls: [{ id: callId(), name: tool, input: numbered }] };
  }
  const [, status] = /\bfail:(\d{3})\b/.exec(message) ?? [];
  if (status !== undefined) return { fail: Number(status) };
  if (message.includes('say:nothing')) return {};
  if (message.includes('what did I say?'))
    return saying(`SAID(${before.map((text) => `(${text})`).join('')})`);
  return saying(`echo: ${message}`);
}

function atOnce(message: string, answers: readonly string[]): Scripted {
  if (answers.length > 0) return { say: [`RESULT(${answers.map((text) => `(${text})`).join('')})`] };
  const lines = message.split(/\s+(?=call:)/).flatMap((line) => [...line.matchAll(LINE)]);
  const calls = lines.map(([, , , , name = '', input = '{}']) => ({
    id: callId(),
    name,
    input: JSON.parse(input) as object,
  }));
  return { calls };
}

const callId = (): string => `call_${crypto.randomUUID().replaceAll('-', '')}`;

function saying(text: string): Scripted {
  const [start, hold] = /^.*?\bhold:([\w-]+)/s.exec(text) ?? [];
  const say = start === undefined ? [text] : [start, text.slice(start.length)];
  return { say: say.filter((part) => part !== ''), ...(hold !== undefined && { hold }) };
}
