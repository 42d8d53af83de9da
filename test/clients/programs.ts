/** The clients' own entry files, each run by this Node: not one of them needs its install script. */
import { fileURLToPath } from 'node:url';

const inModules = (path: string): string => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

export const PROGRAMS = {
  /** What the package has for installations without scripts; its `bin` is a placeholder until a script ran. */
  claude: inModules('@anthropic-ai/claude-code/cli-wrapper.cjs'),
  codex: inModules('@openai/codex/bin/codex.js'),
  gemini: inModules('@google/gemini-cli/bundle/gemini.js'),
  inspector: inModules('@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
  mcporter: inModules('mcporter/dist/cli.js'),
} as const;
