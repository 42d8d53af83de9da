/**
 * Whether the one who asks is a model that OpenClaw runs: an order of such a model would come back to itself. OpenClaw
 * marks programs that it starts, and what those start has the marks, too. What people set in a shell, such as
 * `OPENCLAW_GATEWAY_TOKEN`, is no mark.
 */
import type { Environment } from '../lib/process.ts';
import { PincerError } from './errors.ts';

/** Of `OPENCLAW_SHELL`: the tool `exec`, and a program that speaks ACP. */
const SHELLS: ReadonlySet<string | undefined> = new Set(['exec', 'acp-client']);
/** What a person types into OpenClaw's own terminal window. */
const PERSONS_SHELL = 'tui-local';

/** For a process that is not OpenClaw's own: that one bears the mark `OPENCLAW_CLI`, too. */
export function isRunByOpenClaw(env: Environment): boolean {
  const { OPENCLAW_SHELL: shell, OPENCLAW_CLI: cli } = env;
  // A model's own program such as Claude Code is let into OpenClaw's tools by these.
  const isLetIn = Boolean(env['OPENCLAW_MCP_TOKEN']) || env['OPENCLAW_MCP_CLI_CAPTURE_KEY'] !== undefined;
  return (
    isLetIn ||
    SHELLS.has(shell) ||
    env['OPENCLAW_SUBAGENT_EXEC'] === '1' ||
    (cli === '1' && shell !== PERSONS_SHELL)
  );
}

/** The servers that it uses itself see none of its variables: they know it by the name that it gives in `initialize`. */
export const isOpenClawClient = (name: string): boolean => name === 'openclaw-bundle-mcp';

export const orderToItself = (): PincerError =>
  new PincerError('POLICY_DENIED', 'An agent of OpenClaw cannot order something from OpenClaw.', {
    hint: 'It would wait for itself. Ask in the conversation that is open.',
  });
