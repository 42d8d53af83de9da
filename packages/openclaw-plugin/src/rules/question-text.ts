/** The question as OpenClaw shows it, within the bounds that it sets: what is longer it refuses, and the call with it. */
import type { AskedQuestion } from 'pincer/client';
import type { ApprovalRequest } from '../host.ts';

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 512;
const MAX_NAME = 128;
/** For the arguments, in bytes: more never fits. */
export const ARGUMENTS_ROOM = MAX_DESCRIPTION;

/** What the host writes in another way, which makes it longer. */
const HOST_ESCAPES =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/gu;

/** Undefined if OpenClaw cannot show all of it: nobody is asked there about part of a call. */
export function questionText(
  { server, tool, arguments: given, isCut }: AskedQuestion,
  agent: string | undefined,
): Pick<ApprovalRequest, 'title' | 'description'> | undefined {
  // Names are quoted, and everything that comes from elsewhere is on a line of its own: no argument can look like ours.
  const description = [
    `Server: ${quoted(server)}`,
    `Tool: ${quoted(tool)}`,
    ...(agent === undefined ? [] : [`Agent: ${quoted(agent)}`]),
    `Arguments: ${onOneLine(given)}`,
  ].join('\n');
  if (isCut || Array.from(description).length > MAX_DESCRIPTION) return undefined;
  return { title: `Run ${clipped(onOneLine(`${server}.${tool}`), MAX_TITLE - 10)} once?`, description };
}

/** For the model, which tells the person. */
export const elsewhere = (question: AskedQuestion): string =>
  `${nameOf(question)} needs the approval of the owner, and is too long for OpenClaw to ask about. It was not run. ` +
  `Tell them to type: /mcp approvals show ${question.id}. ` +
  'They see all of the call there, or where to see it, and can allow it. Then call it again with the same arguments.';

export const nameOf = ({ server, tool }: AskedQuestion): string =>
  clipped(onOneLine(`${server}.${tool}`), MAX_NAME);

const quoted = (name: string): string => onOneLine(JSON.stringify(name));

const onOneLine = (text: string): string =>
  text.replaceAll(HOST_ESCAPES, (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`);

/** The host counts whole characters. */
function clipped(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
