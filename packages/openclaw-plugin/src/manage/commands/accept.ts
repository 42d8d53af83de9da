import { ask, heldReason, visible, type HeldReport, type HubClient } from 'pincer/client';
import { fits, plural, wrap, type Answer } from '../render.ts';
import { findServer, type ManageContext, type Subcommand } from '../subcommand.ts';

export const accept: Subcommand = {
  name: 'accept',
  usage: '[<server>[.<tool>]] [--yes]',
  summary: 'show new and changed tools, and accept them',
  flags: { yes: 'switch' },
  least: 0,
  most: 1,
  changes: ({ switches }) => switches.has('yes'),
  async run({ named: [target], switches }, { hub: open, shown }) {
    const hub = await open();
    if (target === undefined) return { lines: renderHeldList(await ask(hub, 'GET held')), more: moreHeld };
    const { servers } = await ask(hub, 'GET status');
    const dot = target.indexOf('.');
    const { name } = findServer(servers, dot === -1 ? target : target.slice(0, dot));
    const tool = dot === -1 ? undefined : target.slice(dot + 1);
    const held = (await ask(hub, 'GET held', { query: { server: name } })).filter(
      (each) => (tool ?? each.tool) === each.tool,
    );
    if (held.length === 0) return { lines: [`Nothing of ${target} is held.`] };
    const seen = held.filter((each) => switches.has('yes') && shown?.has(each) === true);
    const accepted = await acceptSeen(hub, seen);
    const rest = held.filter((each) => !accepted.includes(heldName(each)));
    const done = accepted.map((each) => `${each} is accepted.`);
    return rest.length === 0 ? { lines: done } : show(rest, { target, done, shown });
  },
};

const moreHeld = (left: number): string => `… ${left} more lines: openclaw pincer accept`;

/** Accepts exactly the shown definitions. */
async function acceptSeen(hub: HubClient, seen: readonly HeldReport[]): Promise<string[]> {
  const names: string[] = [];
  for (const each of seen) {
    const body = { server: each.server, tool: each.tool, seen: [each.digest] };
    const { accepted } = await ask(hub, 'POST accept', { body });
    if (accepted.length > 0) names.push(heldName(each));
  }
  return names;
}

interface Showing {
  readonly target: string;
  readonly done: readonly string[];
  readonly shown: ManageContext['shown'];
}

/** Shows as many tools as fit, each in full. A tool that was not shown in full cannot be accepted here. */
function show(held: readonly HeldReport[], { target, done, shown }: Showing): Answer {
  let lines: readonly string[] = done;
  const whole: HeldReport[] = [];
  for (const each of held) {
    const next = [...lines, ...(lines.length === 0 ? [] : ['']), ...renderHeldTool(each)];
    if (!fits(next)) continue;
    lines = next;
    whole.push(each);
  }
  for (const each of whole) shown?.remember(each);
  const left = held.filter((each) => !whole.includes(each));
  const next = [...acceptHint(whole, target), ...tooLong(left, whole.length)];
  return { lines: lines.length === 0 ? next : [...lines, '', ...next] };
}

const acceptHint = (whole: readonly HeldReport[], target: string): string[] =>
  whole.length === 0
    ? []
    : [`Accept ${whole.length === 1 ? 'this definition' : 'these definitions'}: /mcp accept ${target} --yes`];

function tooLong(left: readonly HeldReport[], others: number): string[] {
  if (left.length === 0) return [];
  const names = left.map(heldName);
  if (others > 0) return [`${plural(left.length, 'more tool')} did not fit: /mcp accept ${names[0]}`];
  return [`${names[0]} is too long for a chat. Show it at a terminal: openclaw pincer accept ${names[0]}`];
}

type Change = HeldReport['changes'][number];

const WIDTH = 90;

const heldName = ({ server, tool }: Pick<HeldReport, 'server' | 'tool'>): string =>
  visible(`${server}.${tool}`);

function renderHeldList(held: readonly HeldReport[]): string[] {
  if (held.length === 0) return ['Nothing is held: every tool is as you accepted it.'];
  const lines = held.map(
    (tool) =>
      `  ${heldName(tool)}  ${tool.why !== 'changed' ? (tool.why === 'new' ? 'new' : 'its pin may have been lost') : `changed: ${visible(tool.changes.map(({ path }) => path || 'all of it').join(', '))}`}`,
  );
  return [
    `${plural(held.length, 'tool')} held until you accept`,
    ...lines,
    `Show one: /mcp accept ${heldName(held[0]!)}`,
  ];
}

/** The texts of changes are already escaped. All of them are shown. */
function renderHeldTool(held: HeldReport): string[] {
  const title = `${heldName(held)} ${heldReason(held.why)}`;
  return [title, ...held.changes.flatMap((change) => renderChange(change, held.why))];
}

function renderChange({ path, line, before, after }: Change, why: HeldReport['why']): string[] {
  const where = line === undefined ? '' : ` from line ${line}`;
  const title = `  ${visible(path === '' ? 'the whole definition' : path)}${where}`;
  // A new tool has nothing to compare with.
  if (why !== 'changed') return [`${title}:`, ...marked(after, '   ')];
  return [title, ...marked(before, '  -'), ...marked(after, '  +')];
}

const marked = (text: string | undefined, mark: string): string[] =>
  text === undefined
    ? []
    : text
        .split('\n')
        .flatMap((line) => (line === '' ? [''] : wrap(line, WIDTH)).map((part) => `  ${mark} ${part}`));
