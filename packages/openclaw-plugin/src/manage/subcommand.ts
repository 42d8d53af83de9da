/** What `/mcp` and `mcp_manage` are made of. */
import { closest, PincerError, visible, type HubClient, type ServerReport } from 'pincer/client';
import type { OwnEntry } from '../entries/entry.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { Arguments, Syntax } from './input.ts';
import type { Answer } from './render.ts';

export interface Subcommand extends Syntax {
  readonly summary: string;
  /** Whether something is different afterwards: then it takes the owner's own command. */
  changes(given: Arguments): boolean;
  run(given: Arguments, context: ManageContext): Promise<Answer>;
}

export interface ManageContext {
  hub(): Promise<HubClient>;
  /** What the person should know besides what the hub tells. */
  notices(): readonly string[];
  /** Our entries in `mcp.servers`, as the host goes by them; undefined where agents get the tools in another way. */
  entries(): readonly OwnEntry[] | undefined;
  /** Brings the entries in step with the hub, and waits until the host goes by them. Resolves to the keys that have changed. */
  settle(isRepair: boolean): Promise<readonly string[]>;
  /** Milliseconds since 1970. */
  now(): number;
  /** What the owner has been shown of tools that wait; undefined where it is not the owner who asks. */
  readonly shown: ShownDefinitions | undefined;
  /** Which questions the owner has been shown in full; undefined where it is not the owner who asks. */
  readonly shownQuestions: ShownQuestions | undefined;
  /** Who asks, where the host knows. */
  readonly sender: Sender | undefined;
}

export const never = (): boolean => false;
export const always = (): boolean => true;

/** Of that name; one that differs in capitals alone is meant, too. */
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
        ? 'There is none yet: /mcp connect <url> adds one.'
        : `There are ${names.join(', ')}.`;
  throw new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, { hint });
}

/** Waits until agents have what a command has changed. Returns what the person should know of that. */
export async function settled({ settle }: ManageContext, isRepair = false): Promise<string[]> {
  try {
    const changed = await settle(isRepair);
    return isRepair && changed.length > 0 ? [`Repaired in mcp.servers: ${changed.join(', ')}`] : [];
  } catch (error) {
    return [`The entries in mcp.servers could not be written: ${visible(PincerError.from(error).message)}`];
  }
}

/** Which definitions the owner has seen whole: nothing else is accepted by `--yes`. */
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

/** Which questions the owner has seen whole in the chat: nothing else is allowed there. */
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
