/** What needs the person, a line each. */
import { inChatTerms, visible, type HubStatus, type ResourceClash } from 'pincer/client';
import { cut } from './answer.ts';
import { plural } from './plural.ts';

const MAX_REASON = 300;

export function renderNeeds(
  status: HubStatus,
  clashes: readonly ResourceClash[],
  notices: readonly string[],
): string[] {
  return [
    ...status.servers.flatMap(serverNeed),
    ...heldNeeds(status),
    ...approvalNeed(status),
    ...(status.configProblem === undefined
      ? []
      : [`The configuration is not used as it is now: ${reason(status.configProblem)}`]),
    ...sectionNeeds(status),
    ...clashNeeds(clashes),
    ...notices,
  ];
}

function serverNeed(server: HubStatus['servers'][number]): string[] {
  const { name, state, auth, error, isMisconfigured } = server;
  // It says so itself.
  if (isMisconfigured === true) return [];
  if (state === 'needs-sign-in')
    return [
      auth?.kind === 'api-key'
        ? `${name} does not accept its API key: /mcp status ${name}`
        : `${name} waits for you to sign in: /mcp auth ${name}`,
    ];
  if (state === 'stopped') return [`${name} was disconnected. Bring it back: /mcp refresh ${name}`];
  if (error === undefined || state === 'ready' || state === 'disabled') return [];
  return [`${name}: ${reason(error.message)} More: /mcp status ${name}`];
}

/** Settings that are wrong, besides those of servers. */
const sectionNeeds = ({ problems = [] }: HubStatus): string[] =>
  problems
    .filter(({ section, name }) => section !== 'servers' || name === undefined)
    .map(({ message, effect = '' }) => reason(`${message} ${effect}`.trim()));

const heldNeeds = ({ held = [] }: HubStatus): string[] =>
  [...Map.groupBy(held, ({ server }) => server)].map(
    ([server, tools]) =>
      `${plural(tools.length, 'tool')} of ${server} ${tools.length === 1 ? 'waits' : 'wait'} until you accept ${tools.length === 1 ? 'it' : 'them'}: /mcp accept ${server}`,
  );

const approvalNeed = ({ approvals = 0 }: HubStatus): string[] =>
  approvals === 0
    ? []
    : [`${plural(approvals, 'call')} ${approvals === 1 ? 'waits' : 'wait'} for your word: /mcp approvals`];

/** A line for all that two servers have in common. */
const clashNeeds = (clashes: readonly ResourceClash[]): string[] =>
  [...Map.groupBy(clashes, ({ servers }) => servers.join(' and '))].map(([names, alike]) => {
    const what = alike.length === 1 ? visible(alike[0]!.uri) : plural(alike.length, 'resource');
    return `${cut(what, MAX_REASON)} ${alike.length === 1 ? 'is' : 'are'} offered by ${names}: ${alike[0]!.servers[0]} answers.`;
  });

const reason = (text: string): string => cut(visible(inChatTerms(text)), MAX_REASON);
