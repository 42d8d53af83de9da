/** `openclaw pincer …` and `openclaw mcp-server`: Pincer's command line, for the state folder of this OpenClaw. */
import type { HostApi } from '../host.ts';
import { MCP_SERVER, PINCER } from './commands.ts';
import { ejectEntries, type Eject } from './eject.ts';
import { findPlace, type Place } from '../hub/place.ts';
import type { OpenClawServers } from './restore-servers.ts';
import { askPincer, runPincer } from './run-pincer.ts';
import { setup, terminalQuestion } from './setup.ts';
import { wordsAfter } from './words.ts';

/** What is printed is Pincer's, and may be read by a program. */
const machineOutput = (): boolean => true;

export function registerCommands(api: HostApi, eject: Eject): void {
  // Commands are also registered only to be listed; the host's runtime is there for those that run.
  const place = (): Place => findPlace(api, process.env);

  async function pincer(): Promise<number> {
    const words = wordsAfter(PINCER.name, process.argv);
    const { config } = api.runtime;
    if (words[0] === 'eject') {
      const here = place();
      const servers = (withSecrets: boolean): Promise<OpenClawServers> =>
        askPincer(['openclaw', 'servers', ...(withSecrets ? ['--with-secrets'] : [])], here);
      return ejectEntries(words.slice(1), { config, home: here.home, eject, servers, write });
    }
    if (words[0] === 'setup') return setup(words.slice(1), { config, write, ask: terminalQuestion() });
    return runPincer(words, place());
  }

  const mcpServer = (): Promise<number> =>
    runPincer([MCP_SERVER.name, ...wordsAfter(MCP_SERVER.name, process.argv)], place());

  api.registerCli(
    ({ program }) => {
      for (const [{ name, description }, action] of [
        [PINCER, pincer],
        [MCP_SERVER, mcpServer],
      ] as const)
        program
          .command(name)
          .description(description)
          .helpOption(false)
          .allowUnknownOption()
          .allowExcessArguments()
          .action(async () => void (process.exitCode = await action()));
    },
    { descriptors: [PINCER, MCP_SERVER].map((command) => ({ ...command, machineOutput })) },
  );
}

const write = (text: string): void => void process.stdout.write(text);
