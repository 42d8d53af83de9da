/** `openclaw pincer setup`: asks for the one permission that OpenClaw requires from a person. */
import { createInterface } from 'node:readline/promises';
import { CONSENT_PATH, hasConsent, writeConsent } from '../host-config.ts';
import type { HostConfigFile } from '../host.ts';

const EXIT = { ok: 0, usage: 2 };

const EXPLANATION = `Agents use their MCP servers better if they get a list of them with their state: a few lines
after the system prompt, <available-mcp-servers>. OpenClaw lets a plugin add it only with your permission,
  ${CONSENT_PATH}
which would also let it read conversations. This plugin reads none. Everything else works without it.
`;

const NOT_ALLOWED = 'Agents do not get the list of MCP servers. To allow it: openclaw pincer setup --yes\n';

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
  const isWanted = words.length > 0 ? words[0] === '--yes' : isAllowed || (await question());
  if (isWanted === undefined) {
    write('To allow it: openclaw pincer setup --yes\n');
    return EXIT.usage;
  }
  if (isWanted !== isAllowed) await writeConsent(config, isWanted);
  write(
    isWanted ? 'Agents get the list of MCP servers. To stop that: openclaw pincer setup --no\n' : NOT_ALLOWED,
  );
  return EXIT.ok;

  async function question(): Promise<boolean | undefined> {
    write(EXPLANATION);
    return ask === undefined ? undefined : isYes(await ask('Allow it? [y/N] '));
  }
}

const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer.trim());

/** Asks on the terminal. Undefined without a terminal. */
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
