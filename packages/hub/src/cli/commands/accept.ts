/** `pincer accept`: tools that were withdrawn because they have changed, or are new, until a person has looked at them. */
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
    'Shows what has changed in tools that are held since, and accepts it when you say so. Without a name, lists what is held.',
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
  // What was accepted may have been lost, and nothing of it is missing: the person says so.
  if (held.length === 0 && isDoubted) await ask(hub, 'POST accept', { body: { server, seen: [] } });
  if (context.json) {
    const accepted = isYes ? await acceptAll(hub, server, held) : [];
    printJson({ ok: true, held, accepted });
    return EXIT.ok;
  }
  if (held.length === 0) {
    print(`Nothing of ${visible(target)} is held.\n`);
    if (isDoubted) print('New tools of it are accepted at first sight again.\n');
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

interface Held {
  readonly server: string;
  readonly held: HeldReport[];
  /** Tools without a pin are held, since pins may have been lost. */
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

/** What was shown, and nothing that came after. */
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

/** Tools that wait for a person: what was accepted beside what is offered now. */
export function renderHeldList(held: readonly HeldReport[], style: Style): string {
  if (held.length === 0) return 'Nothing is held: every tool is as you accepted it.\n';
  const rows = held.map(({ server, tool, why, changes }) => [
    style.yellow('!'),
    style.bold(visible(`${server}.${tool}`)),
    why !== 'changed'
      ? SHORT[why]
      : `changed: ${visible(changes.map(({ path }) => path || 'all of it').join(', '))}`,
  ]);
  const [first] = held;
  return `${[...columns(rows), '', `${plural(held.length, 'tool')} held. Look, then accept: ${acceptCommand(first!.server, first!.tool)}`].join('\n')}\n`;
}

const SHORT = { new: 'new', lost: 'its pin may have been lost' } as const;

/** Texts come ready to be shown: what is hidden in them is spelled out. */
export function renderHeldTool({ server, tool, why, changes }: HeldReport, style: Style): string {
  const title = `${style.bold(visible(`${server}.${tool}`))} ${heldReason(why)}`;
  const lines = changes.flatMap((change) =>
    why === 'changed' ? renderChange(change, style) : renderMember(change),
  );
  return `${[title, ...lines].join('\n')}\n`;
}

/** Of something new there is nothing to compare. */
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
