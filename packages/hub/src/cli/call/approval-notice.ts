/** Tells the person at the terminal that their call waits for approval. Loaded only for a slow call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { visible } from '../../core/visible.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import { note } from '../terminal/output.ts';
import { shortIds } from '../render/approvals.ts';

/** The approval may be requested late, because the server has to start first. */
const POLL_MS = 2_000;

/** Prints once which approval the call with this mark waits for. Other calls of the same tool may wait for others. */
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
    await sleep(POLL_MS, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}
