/**
 * Detects whether the caller is a model run by OpenClaw: an order from such a model would come back to itself. OpenClaw
 * marks the programs it starts, and their children inherit the marks. Variables that people set in a shell, such as
 * `OPENCLAW_GATEWAY_TOKEN`, are not marks.
 */
import type { Environment } from '../lib/process.ts';
import { PincerError } from './errors.ts';

/** Values of `OPENCLAW_SHELL`: the `exec` tool, and a program that speaks ACP. */
const SHELLS: ReadonlySet<string | undefined> = new Set(['exec', 'acp-client']);
/** For commands that a person types in OpenClaw's own terminal window. */
const PERSONS_SHELL = 'tui-local';

/** Not for OpenClaw's own processes: they carry `OPENCLAW_CLI` too. */
export function isRunByOpenClaw(env: Environment): boolean {
  const { OPENCLAW_SHELL: shell, OPENCLAW_CLI: cli } = env;
  // OpenClaw gives these to a model's own program, such as Claude Code, to reach its tools.
  const hasToolAccess =
    Boolean(env['OPENCLAW_MCP_TOKEN']) || env['OPENCLAW_MCP_CLI_CAPTURE_KEY'] !== undefined;
  return (
    hasToolAccess ||
    SHELLS.has(shell) ||
    env['OPENCLAW_SUBAGENT_EXEC'] === '1' ||
    (cli === '1' && shell !== PERSONS_SHELL)
  );
}

/** OpenClaw's own MCP client passes no marks on. It is recognized by its name in `initialize`. */
export const isOpenClawClient = (name: string): boolean => name === 'openclaw-bundle-mcp';

export const orderToItself = (): PincerError =>
  new PincerError('POLICY_DENIED', 'An agent of OpenClaw cannot give orders to OpenClaw.', {
    hint: 'It would wait for itself. Ask in the current conversation instead.',
  });
