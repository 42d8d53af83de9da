/** The plugin `mcp-client`: registers its parts in OpenClaw. The hub runs in its own process. */
import { registerCommands } from './cli/register.ts';
import { registerContext } from './context.ts';
import { eject } from './entries/eject.ts';
import { portInEntries } from './entries/entries.ts';
import { registerPerCaller } from './entries/per-caller.ts';
import type { HostApi } from './host.ts';
import { createKeeper } from './hub/keeper.ts';
import { findPlace } from './hub/place.ts';
import { registerManage } from './manage/manage.ts';
import { registerRules } from './rules/register.ts';
import { registerService } from './service.ts';
import { sharedFor } from './shared.ts';

export default {
  id: 'mcp-client',
  name: 'MCP Client',
  description:
    'MCP servers for all conversations through one hub, with sign-in, policy, approvals and a log.',
  // The hub reads its servers from the file by itself, so the plugin need not be reloaded.
  reload: { noopPrefixes: ['plugins.entries.mcp-client.config'] },
  register(api: HostApi): void {
    registerCommands(api, eject);
    // The host only lists commands, and its runtime is not available.
    if (api.registrationMode === 'cli-metadata') return;
    const place = findPlace(api, process.env);
    const isLocal = isLocalRun(process.argv);
    const keeper = sharedFor('hub', place.home, () =>
      createKeeper({
        ...place,
        port: portInEntries(api.config, place.home),
        // In a local run, the output is the agent's answer.
        log: (message) => (isLocal ? undefined : api.logger.info(`Pincer ${message}`)),
      }),
    );
    registerService(api, keeper, place);
    registerManage(api, keeper, place.home);
    registerContext(api, keeper);
    registerRules(api, keeper, place.home);
    registerPerCaller(api, () => keeper.hub(), place.home);
    // A local run has no services to start the hub. It ends with the process.
    if (isLocal) keeper.hub().catch(({ message }: Error) => api.logger.warn(message));
  },
};

/** Whether this process is `openclaw agent --local`, which runs one turn without a gateway and without services. */
export const isLocalRun = (argv: readonly string[]): boolean =>
  argv[2] === 'agent' && argv.includes('--local');
