/** `openclaw pincer setup`: asks for the one permission that OpenClaw wants a person to give. */
import { createInterface } from 'node:readline/promises';
import { CONSENT_PATH, hasConsent, writeConsent } from '../host-config.ts';
import type { HostConfigFile } from '../host.ts';

const EXIT = { ok: 0, usage: 2 };

const WHAT_FOR = `Agents know more of their MCP servers when they are told which there are, and which of them work: a few lines
behind the system prompt, <available-mcp-servers>. OpenClaw lets a plugin add them only with your permission,
  ${CONSENT_PATH}
which would also let it read conversations. This plugin reads none. Without it everything else works.
`;

const NOT_TOLD = 'Agents are not told of their MCP servers. `openclaw pincer setup --yes` changes that.\n';

interface SetupParts {
  readonly config: HostConfigFile;
  write(text: string): void;
  /** Undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

export async function setup(words: readonly string[], { config, write, ask }: SetupParts): Promise<number> {
  const unknown = words.find((word) => word !== '--yes' && word !== '--no');
  if (unknown !== undefined || words.length > 1) {
    write('Usage: openclaw pincer setup [--yes | --no]\n');
    return EXIT.usage;
  }
  const isAllowed = hasConsent(config.current());
  const said = words.length > 0 ? words[0] === '--yes' : isAllowed || (await question());
  if (said === undefined) {
    write('Run `openclaw pincer setup --yes` to allow it.\n');
    return EXIT.usage;
  }
  if (said !== isAllowed) await writeConsent(config, said);
  write(said ? 'Agents are told of their MCP servers. `openclaw pincer setup --no` ends that.\n' : NOT_TOLD);
  return EXIT.ok;

  async function question(): Promise<boolean | undefined> {
    write(WHAT_FOR);
    return ask === undefined ? undefined : isYes(await ask('Allow it? [y/N] '));
  }
}

const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer.trim());

/** Asks on the terminal; undefined where there is none. */
export function terminalQuestion(): SetupParts['ask'] {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}
