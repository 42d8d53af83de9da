import { heldReason, visible, type HeldTool, type ToolReport } from 'pincer/client';
import type { AgentTool, AgentTools } from '../agent-tools.ts';
import { cut } from './answer.ts';
import { plural } from './plural.ts';

const MAX_TEXT = 90;
const MAX_LEFT_OUT = 10;

/** What agents have of one server, and what waits for the person. */
export interface GivenTools extends AgentTools {
  readonly server: string;
  /** The agents that may use it; undefined: all. */
  readonly agents: readonly string[] | undefined;
  readonly held: readonly HeldTool[];
}

/** A line per tool under the name that agents call it by, server by server. */
export function renderToolList(servers: readonly GivenTools[]): string[] {
  const blocks = servers.map(({ server, agents, tools, leftOut, held }) => [
    `${server} (${plural(tools.length, 'tool')})${agents === undefined ? '' : `, for agents: ${visible(agents.join(', ')) || 'none'}`}`,
    ...tools.map(toolLine),
    ...[...leftOut].map(leftOutLine),
    ...heldLines(server, held),
  ]);
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function toolLine({ name, report }: AgentTool): string {
  if (report === undefined) return `  ${visible(name)}  made by OpenClaw`;
  const { definition } = report;
  const [first = ''] = textIn(definition.description).trim().split('\n', 1);
  const text = [cut(visible(first.trim()), MAX_TEXT), markOf(definition)].filter((part) => part !== '');
  return `  ${[visible(name), ...text].join('  ')}`;
}

function markOf({ annotations }: ToolReport['definition']): string {
  if (annotations?.['readOnlyHint'] === true) return '[read-only]';
  return annotations?.['destructiveHint'] === true ? '[destructive]' : '';
}

/** Definitions are as servers wrote them: one that is wrong must not hide the tools of the others. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function leftOutLine([reason, names]: [reason: string, names: readonly string[]]): string {
  const shown = names.slice(0, MAX_LEFT_OUT).map(visible).join(', ');
  const more = names.length > MAX_LEFT_OUT ? ` and ${names.length - MAX_LEFT_OUT} more` : '';
  return `  Agents do not have ${shown}${more}: ${reason}`;
}

function heldLines(server: string, held: readonly HeldTool[]): string[] {
  if (held.length === 0) return [];
  const lines = held.map(({ tool, why }) => `  ${visible(tool)} is held: it ${heldReason(why)}`);
  return [...lines, `  Look at what is held: /mcp accept ${server}`];
}
