/** `pincer logout`: deletes a sign-in here and revokes it at the authorization server. */
import { ask, openHub } from '../../control/client/hub-client.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { renderSignedOut } from '../render/sign-in.ts';
import { unknownServer } from '../servers/unknown-server.ts';
import { print, printJson } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME',
  description: 'Deletes the sign-in to a server and revokes it at the authorization server.',
  arguments: ['<name>'],
  options: {
    '--caller <token>': 'name of the token to sign out for, if each caller signs in separately',
  },
  run: ({ words: [name], flags: { caller } }, context) => logout(name, caller, context),
});

async function logout(name: string, caller: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const { servers } = await ask(hub, 'GET status');
  const names = servers.map((server) => server.name);
  if (!names.includes(name)) throw unknownServer(name, names);
  const report = await ask(hub, 'POST sign-out', { body: { server: name, caller } });
  if (context.json) printJson({ ok: true, ...report });
  else print(renderSignedOut(report));
  return EXIT.ok;
}
