/** `pincer proxy-stdio`: serves the tools of one app session on stdin and stdout. Only JSON-RPC goes to stdout. */
import { Pool } from 'undici';
import { readDotEnv } from '../../config/proxy-settings.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { isSecure } from '../../lib/loopback.ts';
import { processStream } from '../../mcp/process-stream.ts';
import { StdioLine } from '../../mcp/stdio-line.ts';
import { endWithParent } from '../end-with-parent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createForwarder } from '../proxy-stdio/forwarder.ts';
import { bindSession } from '../proxy-stdio/session-binding.ts';
import { readSession, readTarget, type ProxyStdioFlags } from '../proxy-stdio/settings.ts';
import { note } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--proxy-base-url URL] [--session ID]',
  description:
    'Serves the tools of one app session as an MCP server on stdin and stdout, for clients that start a command. The app proxy must be running.',
  options: {
    '--proxy-base-url <url>': 'URL of the app proxy; default: http://127.0.0.1:8000',
    '--session <id>': 'id of the session; default: the one that the client names in `initialize`',
  },
  run: ({ flags }) => proxyStdio(flags),
});

const CONNECT_MS = 10_000;
/** One for each call that may run at a time, and one for the notice stream. */
const MAX_SOCKETS = DEFAULT_LIMITS.maxCalls + 1;
/** Below the five seconds after which Node's own servers drop an idle socket. */
const SOCKET_KEEP_ALIVE_MS = 4_000;

async function proxyStdio(flags: ProxyStdioFlags): Promise<ExitCode> {
  const { file, values } = readDotEnv(process.cwd());
  const target = readTarget(flags, process.env, values);
  if (target.fromFile.length > 0) note(`Using ${target.fromFile.join(', ')} from ${file}\n`);
  if (target.token !== undefined && !isSecure(target.url))
    note(
      `The token is sent to ${target.url.origin} without encryption, so others on the network can read it. Use https.\n`,
    );
  const session = bindSession(readSession(flags));
  const pool = new Pool(target.url.origin, {
    connections: MAX_SOCKETS,
    pipelining: 1,
    keepAliveTimeout: SOCKET_KEEP_ALIVE_MS,
    // The proxy limits the duration of a call, not this process.
    bodyTimeout: 0,
    headersTimeout: 0,
    connect: { timeout: CONNECT_MS },
  });
  const endMark = crypto.randomUUID();
  const stream = processStream(endMark);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  const line: StdioLine = new StdioLine(stream, DEFAULT_LIMITS, (text) => {
    if (text === endMark) forwarder.end();
    else if (text.trim() !== '') forwarder.take(text);
  });
  const forwarder = createForwarder({
    target,
    pool,
    session,
    maxBytes: DEFAULT_LIMITS.maxMessageBytes,
    line,
    note,
    onDone: () => stream.end(),
  });
  endWithParent(stream);
  stream.on('error', () => stream.destroy());
  process.removeAllListeners('SIGINT');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stream.destroy());
  await closed;
  forwarder.stop();
  await pool.destroy();
  process.stdin.destroy();
  return EXIT.ok;
}
