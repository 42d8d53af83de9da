/** Tools that wait for a person: what was accepted beside what is offered now. */
import { heldReason, visible, type HeldReport } from 'pincer/client';
import { plural } from './plural.ts';
import { wrap } from './wrap.ts';

type Change = HeldReport['changes'][number];

const WIDTH = 90;

export const heldName = ({ server, tool }: Pick<HeldReport, 'server' | 'tool'>): string =>
  visible(`${server}.${tool}`);

export function renderHeldList(held: readonly HeldReport[]): string[] {
  if (held.length === 0) return ['Nothing is held: every tool is as you accepted it.'];
  const lines = held.map(
    (tool) =>
      `  ${heldName(tool)}  ${tool.why !== 'changed' ? (tool.why === 'new' ? 'new' : 'its pin may have been lost') : `changed: ${visible(tool.changes.map(({ path }) => path || 'all of it').join(', '))}`}`,
  );
  return [
    `${plural(held.length, 'tool')} held until you accept`,
    ...lines,
    `Look at one: /mcp accept ${heldName(held[0]!)}`,
  ];
}

/** Texts of the changes come ready to be shown: what is hidden in them is spelled out. All of each is shown. */
export function renderHeldTool(held: HeldReport): string[] {
  const title = `${heldName(held)} ${heldReason(held.why)}`;
  return [title, ...held.changes.flatMap((change) => renderChange(change, held.why))];
}

function renderChange({ path, line, before, after }: Change, why: HeldReport['why']): string[] {
  const where = line === undefined ? '' : ` from line ${line}`;
  const title = `  ${visible(path === '' ? 'the whole definition' : path)}${where}`;
  // Of something new there is nothing to compare.
  if (why !== 'changed') return [`${title}:`, ...marked(after, '   ')];
  return [title, ...marked(before, '  -'), ...marked(after, '  +')];
}

const marked = (text: string | undefined, mark: string): string[] =>
  text === undefined
    ? []
    : text
        .split('\n')
        .flatMap((line) => (line === '' ? [''] : wrap(line, WIDTH)).map((part) => `  ${mark} ${part}`));
