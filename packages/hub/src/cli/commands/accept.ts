/** `pincer accept`: tools that were withdrawn because they have changed, or are new, until a person has looked at them. */
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { heldTools, type HeldReport } from '../../client/held-tools.ts';
import { ask, openHub, type HubClient } from '../../client/hub-client.ts';
import type { HubStatus } from '../../client/status.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { confirm } from '../terminal/person.ts';
import { renderHeldList, renderHeldTool } from '../render/held.ts';
import { plural } from '../render/plural.ts';
import { assertUsable, usable } from '../servers/unknown-server.ts';
import { styleFor } from '../terminal/style.ts';

export async function accept(
  target: string | undefined,
  isYes: boolean,
  context: Context,
): Promise<ExitCode> {
  const hub = await openHub(context);
  const style = styleFor(process.stdout);
  if (target === undefined) {
    const held = await heldTools(hub);
    if (context.json) printJson({ ok: true, held, accepted: [] });
    else print(renderHeldList(held, style));
    return EXIT.ok;
  }
  const { server, held } = await findHeld(hub, target);
  if (context.json) {
    const accepted = isYes ? await acceptAll(hub, server, held) : [];
    printJson({ ok: true, held, accepted });
    return EXIT.ok;
  }
  if (held.length === 0) {
    print(`Nothing of ${visible(target)} is held.\n`);
    return EXIT.ok;
  }
  print(held.map((tool) => renderHeldTool(tool, style)).join('\n'));
  const what = held.length === 1 ? 'it' : `these ${plural(held.length, 'tool')}`;
  if (!isYes && !(await confirm(`Accept ${what}?`, '--yes'))) {
    note('Nothing was accepted.\n');
    return EXIT.ok;
  }
  const accepted = await acceptAll(hub, server, held);
  for (const tool of accepted) print(`${visible(`${server}.${tool}`)} is accepted.\n`);
  for (const { tool } of held.filter((each) => !accepted.includes(each.tool)))
    note(`${visible(`${server}.${tool}`)} has changed again meanwhile: look at it once more.\n`);
  return accepted.length === held.length ? EXIT.ok : EXIT.failure;
}

async function findHeld(hub: HubClient, target: string): Promise<{ server: string; held: HeldReport[] }> {
  const status = await ask<HubStatus>(hub, 'GET status');
  const dot = target.indexOf('.');
  const server = dot === -1 ? target : target.slice(0, dot);
  const tool = dot === -1 ? undefined : target.slice(dot + 1);
  assertUsable(server, usable(status));
  const held = await heldTools(hub, server);
  return { server, held: held.filter((each) => (tool ?? each.tool) === each.tool) };
}

/** What was shown, and nothing that came after. */
async function acceptAll(
  hub: HubClient,
  server: string,
  held: readonly HeldReport[],
): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (const { tool, digest } of held) {
    const body = { server, tool, seen: [digest] };
    accepted.push(...(await ask<{ accepted: string[] }>(hub, 'POST accept', { body })).accepted);
  }
  return accepted;
}
