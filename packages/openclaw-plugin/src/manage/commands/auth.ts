import { ask, type HubStatus, type ServerReport } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { finishSignIn, startSignIn } from '../sign-in.ts';
import { always, type Subcommand } from '../subcommand.ts';

export const auth: Subcommand = {
  name: 'auth',
  usage: '<name> [--code <code>]',
  summary: 'sign in to a server',
  flags: { code: 'value' },
  least: 1,
  most: 1,
  changes: always,
  async run({ named: [wanted], values }, { hub: open, now }) {
    const hub = await open();
    const { servers } = await ask<HubStatus>(hub, 'GET status');
    const server = findServer(servers, wanted!);
    const { name } = server;
    const code = values.get('code');
    if (code !== undefined) return finishSignIn(hub, { server: name, code, now: now() });
    const otherwise = withoutSignIn(server);
    return otherwise === undefined ? startSignIn(hub, name) : { lines: otherwise };
  },
};

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
