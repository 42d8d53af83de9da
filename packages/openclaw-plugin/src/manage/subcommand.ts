/** The types and helpers of the subcommands of `/mcp` and `mcp_manage`. */
import { closest, PincerError, visible, type HubClient, type ServerReport } from 'pincer/client';
import type { OwnEntry } from '../entries/entry.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { Arguments, Syntax } from './input.ts';
import type { Answer } from './render.ts';

export interface Subcommand extends Syntax {
  readonly summary: string;
  /** Whether this use changes something. Only the owner may do that. */
  changes(given: Arguments): boolean;
  run(given: Arguments, context: ManageContext): Promise<Answer>;
}

export interface ManageContext {
  hub(): Promise<HubClient>;
  /** Notices for the person that do not come from the hub. */
  notices(): readonly string[];
  /** Our entries in `mcp.servers`, as the host uses them. Undefined if agents get the tools through a node. */
  entries(): readonly OwnEntry[] | undefined;
  /** Reconciles the entries with the hub, and waits until the host uses them. Resolves to the changed keys. */
  settle(isRepair: boolean): Promise<readonly string[]>;
  /** Milliseconds since 1970. */
  now(): number;
  /** The held definitions that the owner has seen; undefined if the request is not from the owner. */
  readonly shown: ShownDefinitions | undefined;
  /** The questions that the owner has seen in full; undefined if the request is not from the owner. */
  readonly shownQuestions: ShownQuestions | undefined;
  /** The sender of the request, if the host knows it. */
  readonly sender: Sender | undefined;
}

export const never = (): boolean => false;
export const always = (): boolean => true;

/** Finds a server by name. Ignores case if only one server matches. */
export function findServer(servers: readonly ServerReport[], name: string): ServerReport {
  const lower = name.toLowerCase();
  const alike = servers.filter((server) => server.name.toLowerCase() === lower);
  const found = alike.find((server) => server.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const near = closest(name, names);
  const hint =
    near !== undefined
      ? `Did you mean ${near}?`
      : names.length === 0
        ? 'No server is configured yet. Add one: /mcp connect <url>'
        : `Configured: ${names.join(', ')}.`;
  throw new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint });
}

/** Waits until agents have the change of a command. Returns lines for the person. */
export async function settled({ settle }: ManageContext, isRepair = false): Promise<string[]> {
  try {
    const changed = await settle(isRepair);
    return isRepair && changed.length > 0 ? [`Repaired in mcp.servers: ${changed.join(', ')}`] : [];
  } catch (error) {
    return [`The entries in mcp.servers could not be written: ${visible(PincerError.from(error).message)}`];
  }
}

/** The definitions that the owner has seen in full. `--yes` accepts only these. */
interface ShownDefinitions {
  remember(definition: Definition): void;
  has(definition: Definition): boolean;
}

interface Definition {
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
}

export function createShownDefinitions(): ShownDefinitions {
  const digests = new Map<string, string>();
  const keyOf = ({ server, tool }: Definition): string => JSON.stringify([server, tool]);
  return {
    remember: (definition) => void digests.set(keyOf(definition), definition.digest),
    has: (definition) => digests.get(keyOf(definition)) === definition.digest,
  };
}

/** The questions that the owner has seen in full in the chat. Only these can be allowed there. */
export interface ShownQuestions {
  remember(id: string): void;
  has(id: string): boolean;
}

const MAX_REMEMBERED = 1_000;

export function createShownQuestions(): ShownQuestions {
  const ids = new Set<string>();
  return {
    remember(id) {
      ids.delete(id);
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > MAX_REMEMBERED) ids.delete(oldest!);
    },
    has: (id) => ids.has(id),
  };
}
