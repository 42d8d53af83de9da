/** `pincer token`: credentials of their own for clients that should not see everything. */
import type { Scopes } from '../../core/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, openHub } from '../../client/hub-client.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { renderTokenList, type TokenReport } from '../render/token-list.ts';
import { styleFor } from '../terminal/style.ts';

export async function addToken(name: string, scopes: Scopes, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const { token } = await ask<{ token: string }>(hub, 'POST tokens', { body: { name, ...scopes } });
  if (context.json) printJson({ ok: true, name, token });
  else print(`${token}\n`);
  note(`This is the token "${name}". It is not shown again.\n`);
  return EXIT.ok;
}

export async function listTokens(context: Context): Promise<ExitCode> {
  const tokens = await ask<TokenReport[]>(await openHub(context), 'GET tokens');
  if (context.json) printJson({ ok: true, tokens });
  else print(renderTokenList(tokens, styleFor(process.stdout)));
  return EXIT.ok;
}

export async function revokeToken(name: string, context: Context): Promise<ExitCode> {
  await (await openHub(context)).control('DELETE tokens', { query: { name } });
  if (context.json) printJson({ ok: true, name });
  else print(`Token "${name}" is revoked.\n`);
  return EXIT.ok;
}
