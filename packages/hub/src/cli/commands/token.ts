/** `pincer token`: credentials of their own for clients that should not see everything, and for apps. */
import { readConfigFile } from '../../config/read-file.ts';
import type { Scopes } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { findHub } from '../../owner/attach.ts';
import { configPath, statePath } from '../../owner/state-folder.ts';
import { readCredentialNames } from '../../store/credential-names.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, openHub } from '../../client/hub-client.ts';
import type { HubStatus } from '../../client/status.ts';
import { usable } from '../servers/unknown-server.ts';
import { ownViews } from '../servers/views.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { renderTokenList, type ClientReport } from '../render/token-list.ts';
import { styleFor } from '../terminal/style.ts';
import { addApp, hasApp, listApps, revokeApp } from '../token/app-tokens.ts';
import { assertScopes, unknownScopes } from '../token/check-scopes.ts';
import { afterRevoked, nextSteps } from '../token/next-steps.ts';

export async function addToken(name: string, scopes: Scopes, context: Context): Promise<ExitCode> {
  // Whoever revokes a name should not have to say of which kind.
  if (hasApp(name, context))
    throw new PincerError('USAGE', `"${name}" is the name of an app's token already.`, {
      hint: `Choose another name, or revoke it first: pincer token revoke ${name}`,
    });
  assertScopes(scopes);
  const hub = await openHub(context);
  const { token } = await ask<{ token: string }>(hub, 'POST tokens', { body: { name, ...scopes } });
  if (context.json) printJson({ ok: true, name, token });
  else print(`${token}\n`);
  note(`This is the token "${name}". It is not shown again.\n`);
  const known = usable(await ask<HubStatus>(hub, 'GET status')).map((each) => each.name);
  for (const each of unknownScopes(scopes, [...known, ...ownViews(context.home, process.env)]))
    note(`No server "${visible(each)}" is configured: the token has nothing of it until one is.\n`);
  return EXIT.ok;
}

/** Needs no hub; one that runs takes it over. */
export async function addAppToken(
  name: string,
  origins: readonly string[],
  context: Context,
): Promise<ExitCode> {
  const { token, reload } = await addApp(name, origins, context);
  if (context.json) printJson({ ok: true, name, kind: 'app', origins, token, reload: reload ?? null });
  else print(`${token}\n`);
  note(`This is the token of the app "${name}". It is not shown again.\n`);
  note(nextSteps(readConfigFile(configPath(context.home)), findHub(context.home)));
  return EXIT.ok;
}

export async function listTokens(context: Context): Promise<ExitCode> {
  const clients = await ask<Omit<ClientReport, 'kind'>[]>(await openHub(context), 'GET tokens');
  const tokens = [...clients.map((each) => ({ ...each, kind: 'client' as const })), ...listApps(context)];
  if (context.json) printJson({ ok: true, tokens });
  else print(renderTokenList(tokens, styleFor(process.stdout)));
  return EXIT.ok;
}

export async function revokeToken(name: string, context: Context): Promise<ExitCode> {
  const wasApp = await revokeApp(name, context);
  if (!wasApp || readCredentialNames(statePath(context.home)).has(name))
    await (await openHub(context)).control('DELETE tokens', { query: { name } });
  if (context.json) printJson({ ok: true, name });
  else print(`Token "${name}" is revoked.\n`);
  if (wasApp) note(afterRevoked(readConfigFile(configPath(context.home))));
  return EXIT.ok;
}
