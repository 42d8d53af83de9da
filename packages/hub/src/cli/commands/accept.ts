/** `pincer accept`: shows held tools, which are new or have changed, and accepts them. */
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { heldReason } from '../../control/client/state-word.ts';
import type { DefinitionChange, HeldReport } from '../../control/contract/servers.ts';
import { ask, openHub, type HubClient } from '../../control/client/hub-client.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { confirm } from '../terminal/person.ts';
import { plural } from '../../lib/text.ts';
import { assertUsable, usable } from '../servers/unknown-server.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { acceptCommand } from '../../core/trust/accept-command.ts';
import { columns } from '../render/columns.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[SERVER[.TOOL]] [--yes]',
  description:
    'Shows what is new or has changed in held tools, and accepts it after you confirm. A held tool cannot be called until you accept it. Without a name, lists all held tools.',
  arguments: [['[server.tool]', 'a server, or one of its tools']],
  options: { '--yes': 'accept without asking' },
  run: ({ words: [target], flags: { yes } }, context) => accept(target, yes, context),
});

async function accept(target: string | undefined, isYes: boolean, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const style = styleFor(process.stdout);
  if (target === undefined) {
    const held = await ask(hub, 'GET held');
    if (context.json) printJson({ ok: true, held, accepted: [] });
    else print(renderHeldList(held, style));
    return EXIT.ok;
  }
  const { server, held, isDoubted } = await findHeld(hub, target);
  // Pins of this server may have been lost, but no tool is held. The person's command confirms that.
  if (held.length === 0 && isDoubted) await ask(hub, 'POST accept', { body: { server, seen: [] } });
  if (context.json) {
    const accepted = isYes ? await acceptAll(hub, server, held) : [];
    printJson({ ok: true, held, accepted });
    return EXIT.ok;
  }
  if (held.length === 0) {
    print(`No tool of ${visible(target)} is held.\n`);
    if (isDoubted) print('From now on its new tools are accepted on first sight again.\n');
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
    note(
      `${visible(`${server}.${tool}`)} changed again in the meantime, so it was not accepted. Run the command again.\n`,
    );
  return accepted.length === held.length ? EXIT.ok : EXIT.failure;
}

interface Held {
  readonly server: string;
  readonly held: HeldReport[];
  /** Pins of this server may have been lost, so its tools without a pin are held. */
  readonly isDoubted: boolean;
}

async function findHeld(hub: HubClient, target: string): Promise<Held> {
  const status = await ask(hub, 'GET status');
  const dot = target.indexOf('.');
  const server = dot === -1 ? target : target.slice(0, dot);
  const tool = dot === -1 ? undefined : target.slice(dot + 1);
  assertUsable(server, usable(status));
  const held = await ask(hub, 'GET held', { query: { server } });
  const isDoubted = tool === undefined && status.store?.doubted.includes(server) === true;
  return { server, held: held.filter((each) => (tool ?? each.tool) === each.tool), isDoubted };
}

/** Accepts exactly the definitions that were shown, by digest. */
async function acceptAll(
  hub: HubClient,
  server: string,
  held: readonly HeldReport[],
): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (const { tool, digest } of held) {
    const body = { server, tool, seen: [digest] };
    accepted.push(...(await ask(hub, 'POST accept', { body })).accepted);
  }
  return accepted;
}

export function renderHeldList(held: readonly HeldReport[], style: Style): string {
  if (held.length === 0) return 'No tool is held: all tools are as you accepted them.\n';
  const rows = held.map(({ server, tool, why, changes }) => [
    style.yellow('!'),
    style.bold(visible(`${server}.${tool}`)),
    why !== 'changed'
      ? SHORT[why]
      : `changed: ${visible(changes.map(({ path }) => path || 'all of it').join(', '))}`,
  ]);
  const [first] = held;
  return `${[...columns(rows), '', `${plural(held.length, 'tool')} held. Review and accept: ${acceptCommand(first!.server, first!.tool)}`].join('\n')}\n`;
}

const SHORT = { new: 'new', lost: 'its pin may have been lost' } as const;

/** Texts of changes need no escaping: the hub has made hidden characters visible. */
export function renderHeldTool({ server, tool, why, changes }: HeldReport, style: Style): string {
  const title = `${style.bold(visible(`${server}.${tool}`))} ${heldReason(why)}`;
  const lines = changes.flatMap((change) =>
    why === 'changed' ? renderChange(change, style) : renderMember(change),
  );
  return `${[title, ...lines].join('\n')}\n`;
}

/** A new tool has no earlier definition to compare with. */
function renderMember({ path, after = '' }: DefinitionChange): string[] {
  const [first = '', ...rest] = after.split('\n');
  return [`  ${visible(path)}: ${first}`, ...rest.map((line) => `    ${line}`)];
}

function renderChange({ path, line, before, after }: DefinitionChange, style: Style): string[] {
  const where = line === undefined ? '' : style.dim(` from line ${line}`);
  const title = `  ${visible(path === '' ? 'the whole definition' : path)}${where}`;
  return [title, ...linesOf(before, '  -', style.red), ...linesOf(after, '  +', style.green)];
}

const linesOf = (text: string | undefined, mark: string, paint: (text: string) => string): string[] =>
  text === undefined ? [] : text.split('\n').map((line) => `  ${paint(`${mark} ${line}`)}`);
