import type { Command } from 'commander';
import type { InstallOptions } from '../commands/openclaw-install.ts';
import type { Registration } from './registration.ts';

export function addOpenClawCommands(program: Command, { context, end }: Registration): void {
  const openclaw = program
    .command('openclaw')
    .usage('install|servers')
    .summary('Pincer inside of OpenClaw')
    .description(
      'Brings Pincer into an OpenClaw as its plugin mcp-client, and your servers out of Pincer again.',
    )
    .helpCommand(false);
  openclaw
    .command('install')
    .usage('[--yes] [--profile NAME] [--openclaw PATH]')
    .summary('install the plugin from this Pincer')
    .description(
      'Packs the plugin with this Pincer in it and installs it into OpenClaw, with and without a running gateway. No registry is asked for either. What was installed before is replaced; settings stay.',
    )
    .option('--yes', 'accept what the plugin may do; without it OpenClaw asks')
    .option('--profile <name>', 'the profile of OpenClaw')
    .option('--openclaw <file>', "OpenClaw's program or its openclaw.mjs; without it, openclaw of PATH")
    .action(async (options: InstallOptions) => {
      const { openclawInstall } = await import('../commands/openclaw-install.ts');
      end(await openclawInstall(options, context));
    });
  openclaw
    .command('servers')
    .usage('[--with-secrets]')
    .summary("your servers as OpenClaw's own entries")
    .description(
      "Prints your servers as entries of OpenClaw's mcp.servers. Writes nothing: `openclaw pincer eject --restore-servers` does. Servers with a secret of the vault are left out.",
    )
    .option('--with-secrets', 'print secrets of the vault in clear text')
    .action(async ({ withSecrets }: { withSecrets?: boolean }) => {
      const { openclawServers } = await import('../commands/openclaw-servers.ts');
      end(await openclawServers(withSecrets === true, context));
    });
}
