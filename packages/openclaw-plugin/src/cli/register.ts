/** `openclaw pincer …` and `openclaw mcp-server`: Pincer's command line, for the state folder of this OpenClaw. */
import type { HostApi } from '../host.ts';
import { MCP_SERVER, PINCER } from './commands.ts';
import { ejectEntries, type Eject } from './eject.ts';
import { findPlace, type Place } from '../hub/place.ts';
import { hasCommand, runPincer } from './run-pincer.ts';
import { setup, terminalQuestion } from './setup.ts';
import { wordsAfter } from './words.ts';

/** What is printed is Pincer's, and may be read by a program. */
const machineOutput = (): boolean => true;

const NO_MCP_SERVER = `This version of Pincer has no \`mcp-server\` yet: OpenClaw cannot be ordered over MCP so far.
OpenClaw's own \`openclaw mcp serve\` offers conversations and approvals.
`;

export function registerCommands(api: HostApi, eject: Eject): void {
  // Commands are also registered only to be listed; the host's runtime is there for those that run.
  const place = (): Place => findPlace(api, process.env);

  async function pincer(): Promise<number> {
    const words = wordsAfter(PINCER.name, process.argv);
    const { config } = api.runtime;
    if (words[0] === 'eject') return ejectEntries({ config, home: place().home, eject, write });
    if (words[0] === 'setup') return setup(words.slice(1), { config, write, ask: terminalQuestion() });
    return runPincer(words, place());
  }

  async function mcpServer(): Promise<number> {
    if (hasCommand(MCP_SERVER.name, place()))
      return runPincer([MCP_SERVER.name, ...wordsAfter(MCP_SERVER.name, process.argv)], place());
    process.stderr.write(NO_MCP_SERVER);
    return 1;
  }

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
