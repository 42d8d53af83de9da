/** A word to whoever waits for a call that itself waits for a person. Loaded only when a call takes its time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { visible } from '../../core/visible.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import { note } from '../terminal/output.ts';
import { shortIds } from '../render/approvals.ts';

/** A call may come to its question late: its server has to start first. */
const LOOK_AGAIN_MS = 2_000;

/** Says once which question the call with this mark waits for. Another call of the same tool may wait for another one. */
export async function noteApproval(hub: HubClient, mark: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const all = await ask(hub, 'GET approvals').catch(() => []);
    const index = all.findIndex((each) => each.marks?.includes(mark));
    const own = all[index];
    if (own !== undefined && !ended.aborted) {
      const id = shortIds(all.map((each) => each.id))[index];
      note(`${visible(`${own.server}.${own.tool}`)} waits for your approval: pincer approvals allow ${id}\n`);
      return;
    }
    await sleep(LOOK_AGAIN_MS, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}
