/** The plugin `mcp-client`: what it registers in OpenClaw. The hub does the work, in a process of its own. */
import { registerCommands } from './cli/register.ts';
import { registerContext } from './context/register.ts';
import { eject } from './entries/eject.ts';
import { portInEntries } from './entries/entries.ts';
import { registerPerCaller } from './entries/per-caller.ts';
import type { HostApi } from './host.ts';
import { createKeeper } from './hub/keeper.ts';
import { isLocalRun } from './local-run.ts';
import { registerManage } from './manage/register.ts';
import { findPlace } from './hub/place.ts';
import { registerRules } from './rules/register.ts';
import { registerService } from './service.ts';
import { sharedFor } from './shared.ts';

export default {
  id: 'mcp-client',
  name: 'MCP Client',
  description: 'MCP servers for all conversations through one hub: sign-in, policy, approvals and a log.',
  // The hub reads its servers from the file by itself; nothing of the plugin has to start again for them.
  reload: { noopPrefixes: ['plugins.entries.mcp-client.config'] },
  register(api: HostApi): void {
    registerCommands(api, eject);
    // Only to be listed: the host's runtime is not there.
    if (api.registrationMode === 'cli-metadata') return;
    const place = findPlace(api, process.env);
    const isLocal = isLocalRun(process.argv);
    const keeper = sharedFor('hub', place.home, () =>
      createKeeper({
        ...place,
        port: portInEntries(api.config, place.home),
        // What a run without a gateway prints is the agent's answer.
        log: (message) => (isLocal ? undefined : api.logger.info(`Pincer ${message}`)),
      }),
    );
    registerService(api, keeper, place);
    registerManage(api, keeper, place.home);
    registerContext(api, keeper);
    registerRules(api, keeper, place.home);
    registerPerCaller(api, () => keeper.hub(), place.home);
    // The entries lead to a hub that no service starts there; it ends with the process.
    if (isLocal) keeper.hub().catch(({ message }: Error) => api.logger.warn(message));
  },
};
