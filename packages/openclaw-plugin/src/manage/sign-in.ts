/** Signing in to a server from a chat: the link goes to the person, whose browser may be on another machine. */
import { ask, isSecure, PincerError, visible, type HubClient } from 'pincer/client';
import { refreshServers } from './refresh-servers.ts';
import type { Answer } from './render/answer.ts';
import { authText } from './render/auth-text.ts';
import { renderRefreshed } from './render/probes.ts';

/** What is signed in to, and as whom, where everyone does so for themselves. */
export interface SignInTarget {
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
    return { lines: [`Open the link below, and type this code there: ${visible(userCode)}`], links };
  return {
    lines: [
      `Open the link below to sign in to ${server}.`,
      'Does the last page not load, because your browser is on another machine? Copy its address, and type:',
      `/mcp auth ${server} --code <address>`,
    ],
    links,
  };
}

export async function finishSignIn(
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

/** Nothing but a page of the web is opened, whatever a server says. */
function openable(link: string): string {
  const url = URL.parse(link);
  if (url !== null && isSecure(url)) return url.href;
  throw new PincerError('SIGN_IN_FAILED', 'The link to sign in with is not one that is safe to open.');
}
