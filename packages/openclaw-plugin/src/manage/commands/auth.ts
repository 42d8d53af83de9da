import { ask, PincerError, type ServerReport } from 'pincer/client';
import { credentialOfSender, type Sender } from '../../entries/per-caller.ts';
import { findServer } from '../find-server.ts';
import { finishSignIn, startSignIn } from '../sign-in.ts';
import { settled } from '../settle.ts';
import { always, type Subcommand } from '../subcommand.ts';

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

/** Who somebody is to a server where everyone signs in for themselves. */
function callerAt({ name, auth: kept }: ServerReport, sender: Sender | undefined): string | undefined {
  if (kept?.isPerCaller !== true) return undefined;
  if (sender !== undefined) return credentialOfSender(name, sender).name;
  throw new PincerError(
    'SIGN_IN_FAILED',
    `Everyone signs in to ${name} for themselves, and nobody knows who you are here.`,
  );
}

/** Why there is nothing to sign in to. */
function withoutSignIn({ name, transport, auth: kept }: ServerReport): string[] | undefined {
  if (transport === 'stdio')
    return [
      `${name} is a program on this machine: nobody signs in to it here.`,
      `What it needs to know is in its settings: openclaw pincer show ${name}`,
    ];
  if (kept?.kind === 'api-key')
    return [
      `${name} is used with an API key, not with a sign-in.`,
      `Another key is set at a terminal: openclaw pincer set ${name} apiKey`,
    ];
  if (kept === undefined || kept.kind === 'none')
    return [`${name} has not asked for a sign-in: its tools can be used as they are.`];
  return undefined;
}
