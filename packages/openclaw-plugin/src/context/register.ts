/** Tells agents which servers there are. The host asks anew on each turn and keeps nothing of it. */
import type { HostApi } from '../host.ts';
import type { Runtime } from '../hub/runtime.ts';
import { describeServers } from './available-servers.ts';

export function registerContext(api: HostApi, runtime: Runtime): void {
  /** While the hub is away for a moment, agents are told what they were told before. */
  const lastTold = new Map<string, string | undefined>();
  api.on('before_prompt_build', async (_event, { agentId }) => {
    const status = runtime.status();
    const key = agentId ?? '';
    const text = status === undefined ? lastTold.get(key) : describeServers(status.servers, agentId);
    lastTold.set(key, text);
    return text === undefined ? undefined : { appendSystemContext: text };
  });
}
