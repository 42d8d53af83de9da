/** Hints of the hub name `pincer …`. In a chat the person types `/mcp …`, or `openclaw pincer …` at a terminal. */

/** Commands that `/mcp` has too, with their names there. */
const IN_CHAT: Readonly<Record<string, string>> = {
  accept: 'accept',
  approvals: 'approvals',
  list: 'servers',
  login: 'auth',
  probe: 'refresh',
  status: 'status',
  tools: 'tools',
};
const ELSEWHERE =
  'add|call|client-metadata|completion|configure|connect|device|doctor|import|init|logout|logs|node|reload|secret|service|sessions|set|show|stdio|token|unset|up';

const COMMAND = new RegExp(
  String.raw`(?<!openclaw |[\w/.@-])pincer (${Object.keys(IN_CHAT).join('|')}|${ELSEWHERE})\b([^\n\`,;]*)`,
  'g',
);

/** Some texts name both commands. */
const EITHER = /`pincer [^`]*`, or (\/mcp [a-z]+ \S+) in OpenClaw/g;

export const inChatTerms = (text: string): string =>
  text.replaceAll(EITHER, '$1').replaceAll(COMMAND, (whole, verb: string, rest: string) => {
    const here = Object.hasOwn(IN_CHAT, verb) ? IN_CHAT[verb]! : undefined;
    // The chat has other flags than the command line.
    if (here === undefined || /\s--/.test(rest)) return `openclaw ${whole}`;
    return `/mcp ${verb === 'status' && !/^ +[\w'"]/.test(rest) ? 'servers' : here}${rest}`;
  });
