/** `openclaw pincer …` and `openclaw mcp-server`: Pincer's command line, for the state folder of this OpenClaw. */
import type { HostApi } from '../host.ts';
import { findPlace, type Place } from '../hub/place.ts';
import { MCP_SERVER, PINCER } from './commands.ts';
import { ejectEntries, type Eject, type OpenClawServers } from './eject.ts';
import { askPincer, runPincer } from './run-pincer.ts';
import { setup, terminalQuestion } from './setup.ts';

/** The output is Pincer's, and a program may read it. */
const machineOutput = (): boolean => true;

export function registerCommands(api: HostApi, eject: Eject): void {
  // Resolved on demand: when commands are only listed, the host's runtime is not available.
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

/** Options of `openclaw` that take a value and may precede the command. */
const WITH_VALUE: ReadonlySet<string> = new Set(['--profile', '--log-level', '--container']);

/** The words after our command on the command line of `openclaw`. The host's parser would remove `--` and options that it knows. */
export function wordsAfter(command: string, argv: readonly string[]): readonly string[] {
  for (let at = 2; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === command) return argv.slice(at + 1);
    if (WITH_VALUE.has(word)) at += 1;
  }
  return [];
}
