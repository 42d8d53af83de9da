/** A word to whoever waits for a call that itself waits for a person. Loaded only when a call takes its time. */
import type { OpenApproval } from '../../core/approvals/approvals.ts';
import { visible } from '../../core/visible.ts';
import { ask, type HubClient } from '../../client/hub-client.ts';
import { note } from '../terminal/output.ts';
import { shortIds } from '../render/approvals.ts';

export async function noteApproval(hub: HubClient, server: string, tool: string): Promise<void> {
  const all = await ask<OpenApproval[]>(hub, 'GET approvals').catch(() => []);
  const index = all.findIndex(
    (each) => each.state === 'open' && each.server === server && each.tool === tool,
  );
  if (index === -1) return;
  const id = shortIds(all.map((each) => each.id))[index];
  note(`${visible(`${server}.${tool}`)} waits for your approval: pincer approvals allow ${id}\n`);
}
