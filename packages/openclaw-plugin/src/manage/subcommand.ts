/** What `/mcp` and `mcp_manage` are made of. */
import type { HubClient } from 'pincer/client';
import type { OwnEntry } from '../entries/entry.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { Arguments, Syntax } from './input/read-arguments.ts';
import type { Answer } from './render/answer.ts';
import type { ShownDefinitions } from './shown-definitions.ts';
import type { ShownQuestions } from './shown-questions.ts';

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
