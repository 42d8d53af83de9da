/** `pincer mcp-server`: serves OpenClaw's agent as an MCP server on stdin and stdout. Only JSON-RPC goes to stdout. */
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { AGENT_SOURCE, LOCAL_CALLER } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { safeFolder } from '../../lib/process.ts';
import { isRunByOpenClaw, orderToItself } from '../../core/run-by-openclaw.ts';
import type { Log, Observer } from '../../core/ports.ts';
import { createAgentServer } from '../../agent/agent-server.ts';
import { clock } from '../../lib/time.ts';
import { wholePathVariables } from '../../owner/neutral-folder.ts';
import { createSealer } from '../../store/sealer.ts';
import { processStream } from '../../mcp/process-stream.ts';
import { serveStdio } from '../../mcp/stdio.ts';
import { VERSION } from '../../lib/version.ts';
import type { Context } from '../context.ts';
import { endWithParent } from '../end-with-parent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--verbose]',
  description:
    'Serves an OpenClaw agent as an MCP server on stdin and stdout. Its one tool, order_openclaw, sends a message to the agent and returns the complete answer. Needs no hub.',
  options: {
    '-v, --verbose': 'log each step to stderr',
    '--version': 'print the version and exit',
  },
  refuse: ({ word }) =>
    new PincerError('USAGE', `\`pincer mcp-server\` does not take "${word}".`, {
      hint: 'Run `pincer mcp-server`, or `pincer mcp-server --verbose` to log each step.',
    }),
  run: ({ flags: { verbose } }, context) => mcpServer(context, verbose || context.debug),
});

async function mcpServer({ home }: Context, isVerbose: boolean): Promise<ExitCode> {
  const { env } = process;
  if (isRunByOpenClaw(env)) throw orderToItself();
  const log = isVerbose ? await verboseLog() : SILENT;
  const config = loadConfigHere(home);
  // The client's working folder may be untrusted, so no program that is started from here may look into it.
  Object.assign(env, wholePathVariables(env));
  process.chdir(safeFolder());
  const agent = createAgentServer({
    clock,
    log,
    limits: { ...DEFAULT_LIMITS, ...config.limits },
    env,
    home,
    sealer: createSealer(),
    observers: [describing(log)],
    settings: () => config.agent,
    // Read OpenClaw's own settings, independent of Pincer's state folder.
    openClaw: () => readOpenClawSettings({ ...env, PINCER_HOME: undefined }),
  });
  const endMark = crypto.randomUUID();
  const stream = processStream(endMark);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  log.info('serves order_openclaw on stdin and stdout', { version: VERSION });
  serveStdio(agent, stream, {
    caller: { id: LOCAL_CALLER, name: LOCAL_CALLER, scopes: {} },
    view: AGENT_SOURCE,
    endMark,
    isValid: () => true,
  });
  endWithParent(stream);
  process.removeAllListeners('SIGINT');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stream.destroy());
  await closed;
  await agent.stop();
  process.stdin.destroy();
  return EXIT.ok;
}

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Loaded on demand, because most clients do not show stderr. */
async function verboseLog(): Promise<Log> {
  const { createLog } = await import('../../observe/log.ts');
  return createLog('debug');
}

const describing = (log: Log): Observer => ({
  callEnded({ method, tool, outcome, code, durationMs, answerBytes }) {
    log.info('a request has ended', { method, tool, outcome, code, durationMs, answerBytes });
  },
});
