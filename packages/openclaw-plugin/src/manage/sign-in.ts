/** Signing in to a server from a chat: the link goes to the person, whose browser may be on another machine. */
import { ask, PincerError, type HubClient, type HubStatus } from 'pincer/client';
import type { Answer } from './render/answer.ts';
import { authText } from './render/auth-text.ts';

/** What the hub answers to `POST sign-in`. */
interface SignInStarted {
  readonly link: string;
}

export async function startSignIn(hub: HubClient, server: string): Promise<Answer> {
  const { link } = await ask<SignInStarted>(hub, 'POST sign-in', { body: { server, openBrowser: false } });
  return {
    lines: [
      `Open the link below to sign in to ${server}.`,
      `If the last page cannot be reached, because your browser is on another machine, copy its address:`,
      `/mcp auth ${server} --code <the address, or the code in it>`,
    ],
    links: [openable(link)],
  };
}

export async function finishSignIn(
  hub: HubClient,
  { server, code, now }: { readonly server: string; readonly code: string; readonly now: number },
): Promise<Answer> {
  await hub.control('POST sign-in/code', { body: { server, code } });
  const { servers } = await ask<HubStatus>(hub, 'GET status');
  const auth = servers.find(({ name }) => name === server)?.auth;
  return { lines: [`You are signed in to ${server}: ${authText(auth, now)}.`] };
}

/** Nothing but a page of the web is opened, whatever a server says. */
function openable(link: string): string {
  const url = URL.parse(link);
  const isHere = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) return url.href;
  throw new PincerError('SIGN_IN_FAILED', 'The link to sign in with is not one that is safe to open.');
}
