import { ask, isSecure, PincerError, visible, type HubClient, type ServerReport } from 'pincer/client';
import { credentialOfSender, type Sender } from '../../entries/per-caller.ts';
import { authText, type Answer } from '../render.ts';
import { always, findServer, settled, type Subcommand } from '../subcommand.ts';
import { refreshServers, renderRefreshed } from './refresh.ts';

export const auth: Subcommand = {
  name: 'auth',
  usage: '<name> [--code <code>]',
  summary: 'sign in to a server',
  flags: { code: 'value' },
  least: 1,
  most: 1,
  changes: always,
  async run({ named: [wanted], values }, context) {
    const { now, sender } = context;
    const hub = await context.hub();
    const { servers } = await ask(hub, 'GET status');
    const server = findServer(servers, wanted!);
    const otherwise = withoutSignIn(server);
    if (otherwise !== undefined) return { lines: otherwise };
    const target = { server: server.name, caller: callerAt(server, sender) };
    const code = values.get('code');
    const answer =
      code === undefined
        ? await startSignIn(hub, target, now())
        : await finishSignIn(hub, { ...target, code }, now());
    if (answer.links !== undefined) return answer;
    return { ...answer, lines: [...answer.lines, ...(await settled(context))] };
  },
};

/** The caller at a server where everyone signs in individually. */
function callerAt({ name, auth: kept }: ServerReport, sender: Sender | undefined): string | undefined {
  if (kept?.isPerCaller !== true) return undefined;
  if (sender !== undefined) return credentialOfSender(name, sender).name;
  throw new PincerError(
    'SIGN_IN_FAILED',
    `Each person signs in to ${name}, and this channel does not tell who you are.`,
  );
}

/** Explains why no sign-in is needed. Returns undefined if one is. */
function withoutSignIn({ name, transport, auth: kept }: ServerReport): string[] | undefined {
  if (transport === 'stdio')
    return [
      `${name} is a program on this machine and needs no sign-in here.`,
      `Its settings: openclaw pincer show ${name}`,
    ];
  if (kept?.kind === 'api-key')
    return [
      `${name} uses an API key instead of a sign-in.`,
      `To change the key, at a terminal: openclaw pincer set ${name} apiKey`,
    ];
  if (kept === undefined || kept.kind === 'none') return [`${name} needs no sign-in.`];
  return undefined;
}

/** The server, and the caller if everyone signs in individually. */
interface SignInTarget {
  readonly server: string;
  readonly caller?: string | undefined;
}

export async function startSignIn(hub: HubClient, target: SignInTarget, now: number): Promise<Answer> {
  const { server } = target;
  const body = { ...target, openBrowser: false };
  const { link, userCode, state } = await ask(hub, 'POST sign-in', { body });
  if (link === undefined) {
    await ask(hub, 'POST sign-in/wait', { body: { state } });
    return signedIn(hub, server, now);
  }
  const links = [openable(link)];
  if (userCode !== undefined)
    return { lines: [`Open the link below, and enter this code: ${visible(userCode)}`], links };
  return {
    lines: [
      `Open the link below to sign in to ${server}.`,
      'If the last page does not load, because your browser is on another machine, copy its address and type:',
      `/mcp auth ${server} --code <address>`,
    ],
    links,
  };
}

async function finishSignIn(
  hub: HubClient,
  target: SignInTarget & { readonly code: string },
  now: number,
): Promise<Answer> {
  await ask(hub, 'POST sign-in/code', { body: target });
  return signedIn(hub, target.server, now);
}

async function signedIn(hub: HubClient, server: string, now: number): Promise<Answer> {
  const refreshed = await refreshServers(hub, [server]);
  const { servers } = await ask(hub, 'GET status');
  const auth = servers.find(({ name }) => name === server)?.auth;
  return {
    lines: [`You are signed in to ${server}: ${authText(auth, now)}.`, ...renderRefreshed(refreshed)],
  };
}

/** Accepts only web pages, because the link comes from a server. */
function openable(link: string): string {
  const url = URL.parse(link);
  if (url !== null && isSecure(url)) return url.href;
  throw new PincerError('SIGN_IN_FAILED', 'The sign-in link of the server is not safe to open.');
}
