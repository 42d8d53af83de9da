/** The tools that agents get. Repeats how OpenClaw's own client derives them from an entry and its server (2026.9.6). */
import type { OfferReport, ToolReport } from 'pincer/client';
import type { OwnEntry } from '../entries/entry.ts';
import { partAt, type Part } from '../host-config.ts';
import { MAX_NAME, modelName } from '../rules/tool-name.ts';

export interface AgentTool {
  /** The name that models use. */
  readonly name: string;
  /** Undefined for a tool that OpenClaw adds for resources or prompts. */
  readonly report?: ToolReport;
}

export interface AgentTools {
  readonly tools: readonly AgentTool[];
  /** Tools that agents do not get, by reason. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
}

type Capabilities = Pick<OfferReport, 'hasPrompts' | 'hasResources'>;

/** `entry` is the entry of the server in `mcp.servers`. Without one, agents get no tools of the server. */
export function agentToolsOf(
  reports: readonly ToolReport[],
  entry: OwnEntry | undefined,
  capabilities: Capabilities,
): AgentTools {
  const leftOut = new Map<string, string[]>();
  const reasonFor = reasonIn(entry);
  const given = reports.filter((report) => {
    const reason = reasonFor(report);
    if (reason !== undefined) leftOut.set(reason, [...(leftOut.get(reason) ?? []), report.name]);
    return reason === undefined;
  });
  if (entry === undefined || entry.value['enabled'] === false) return { tools: [], leftOut };
  const taken = new Set<string>();
  const tools = given
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((report) => ({ name: freeName(entry.key, report.name, taken), report }));
  const made = utilitiesOf(capabilities)
    .filter((tool) => isAllowed(entry.value, tool))
    .map((tool) => ({ name: freeName(entry.key, tool, taken) }));
  return { tools: [...tools, ...made], leftOut };
}

/** Why agents do not get a tool; undefined if they do. */
function reasonIn(entry: OwnEntry | undefined): (report: ToolReport) => string | undefined {
  if (entry === undefined) return () => 'mcp.servers has no entry for the server: /mcp refresh';
  const { key, value } = entry;
  if (value['enabled'] === false)
    return () => `mcp.servers.${key} is disabled: openclaw mcp configure ${key} --enable`;
  return ({ name, definition }) => {
    if (definition.execution?.taskSupport === 'required')
      return 'OpenClaw does not support tools that require tasks';
    if (isForAppsOnly(definition._meta)) return 'for apps, not for models';
    return isAllowed(value, name) ? undefined : `toolFilter of mcp.servers.${key}`;
  };
}

const utilitiesOf = ({ hasPrompts = false, hasResources = false }: Capabilities): string[] => [
  ...(hasResources ? ['resources_list', 'resources_read'] : []),
  ...(hasPrompts ? ['prompts_list', 'prompts_get'] : []),
];

function isForAppsOnly(meta: Part | undefined): boolean {
  const visibility = partAt(meta, 'ui')?.['visibility'];
  return Array.isArray(visibility) && !visibility.includes('model');
}

/** The filter that a person added to the entry: `openclaw mcp tools NAME --exclude …`. */
function isAllowed(entry: Part, tool: string): boolean {
  const filter = partAt(entry, 'toolFilter');
  const [include, exclude] = [patternsIn(filter?.['include']), patternsIn(filter?.['exclude'])];
  const fits = (pattern: RegExp): boolean => pattern.test(tool);
  return (include.length === 0 || include.some(fits)) && !exclude.some(fits);
}

const patternsIn = (value: unknown): RegExp[] =>
  (Array.isArray(value) ? value : [])
    .filter((pattern) => typeof pattern === 'string' && pattern.trim() !== '')
    .map((pattern: string) => new RegExp(`^${pattern.trim().split('*').map(escaped).join('.*')}$`, 's'));

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** On a name clash, the host appends a number to the second. */
function freeName(key: string, tool: string, taken: Set<string>): string {
  const plain = modelName(key, tool);
  let name = plain;
  for (let count = 2; taken.has(name.toLowerCase()); count++) {
    const suffix = `-${count}`;
    name = plain.slice(0, MAX_NAME - suffix.length) + suffix;
  }
  taken.add(name.toLowerCase());
  return name;
}
