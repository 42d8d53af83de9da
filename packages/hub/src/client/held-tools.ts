/** Tools that wait for a person, as the control API tells of them. */
import type { DefinitionChange } from '../core/trust/definition-diff.ts';
import { ask, type HubClient } from './hub-client.ts';
import type { HeldTool } from './status.ts';

export interface HeldReport extends HeldTool {
  readonly digest: string;
  readonly changes: readonly DefinitionChange[];
}

export const heldTools = (hub: HubClient, server?: string): Promise<HeldReport[]> =>
  ask<HeldReport[]>(hub, 'GET held', server === undefined ? {} : { query: { server } });
