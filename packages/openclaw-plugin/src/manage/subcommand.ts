/** What `/mcp` and `mcp_manage` are made of. */
import type { HubClient } from 'pincer/client';
import type { Sender } from '../entries/per-caller.ts';
import type { Arguments, Syntax } from './input/read-arguments.ts';
import type { Answer } from './render/answer.ts';
import type { ShownDefinitions } from './shown-definitions.ts';

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
  /** Milliseconds since 1970. */
  now(): number;
  /** What the owner has been shown of tools that wait; undefined where it is not the owner who asks. */
  readonly shown: ShownDefinitions | undefined;
  /** Who asks, where the host knows. */
  readonly sender: Sender | undefined;
}

export const never = (): boolean => false;
export const always = (): boolean => true;
