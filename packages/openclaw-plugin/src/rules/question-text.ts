/** The question as OpenClaw shows it, within the bounds that it sets: what is longer it refuses, and the call with it. */
import type { AskedQuestion } from 'pincer/client';
import type { ApprovalRequest } from '../host.ts';

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 512;
/** What names may take of it. */
const MAX_NAME = 64;
/** For the arguments, in bytes: with all the rest it stays below the bound. */
export const ARGUMENTS_ROOM = 256;

/** What the host writes in another way, which makes it longer. */
const HOST_ESCAPES =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/gu;

export function questionText(
  { id, server, tool, arguments: given, isCut }: AskedQuestion,
  agent: string | undefined,
): Pick<ApprovalRequest, 'title' | 'description'> {
  // Names are quoted, and everything that comes from elsewhere is on a line of its own: no argument can look like ours.
  const names = [
    `Server: ${quoted(server)}`,
    `Tool: ${quoted(tool)}`,
    ...(agent === undefined ? [] : [`Agent: ${quoted(agent)}`]),
  ];
  const all = [...names, `Arguments: ${onOneLine(given)}`].join('\n');
  // What is escaped here is longer than what the hub has counted.
  const isWhole = !isCut && Array.from(all).length <= MAX_DESCRIPTION;
  const rest = `Some of the arguments are not shown: /mcp approvals show ${id}`;
  const text = isWhole ? all : [...names, rest, `Arguments: ${onOneLine(given)}`].join('\n');
  return {
    title: `Run ${clipped(onOneLine(`${server}.${tool}`), MAX_TITLE - 10)} once?`,
    description: clipped(text, MAX_DESCRIPTION),
  };
}

export const nameOf = ({ server, tool }: AskedQuestion): string =>
  clipped(onOneLine(`${server}.${tool}`), 2 * MAX_NAME);

const quoted = (name: string): string => clipped(onOneLine(JSON.stringify(name)), MAX_NAME);

const onOneLine = (text: string): string =>
  text.replaceAll(HOST_ESCAPES, (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`);

/** The host counts whole characters. */
function clipped(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
