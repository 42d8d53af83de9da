/** `pincer stdio`: a raw pipe between an MCP client and the hub. Only JSON-RPC goes to stdout. */
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { NO_ORDERS_HEADER, STDIO_END_HEADER, STDIO_PROTOCOL } from '../../core/protocol.ts';
import { isRunByOpenClaw } from '../../core/run-by-openclaw.ts';
import { ensureHub } from '../../owner/background.ts';
import { configPath, mcpTokenPath } from '../../owner/state-folder.ts';
import { readToken } from '../../owner/tokens.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { parseHead, tokenRefused } from '../../control/client/http.ts';
import { note } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--server NAME]',
  description:
    'Serves all your tools as an MCP server on stdin and stdout, for clients that start a command. Starts a hub in the background if none is running.',
  options: { '--server <name>': 'serve only this server, with its own tool names' },
  refuse: ({ word }) =>
    new PincerError('USAGE', `\`pincer stdio\` does not take "${word}".`, {
      hint: 'Run `pincer stdio`, or `pincer stdio --server NAME` for only one server.',
    }),
  run: ({ flags: { server } }, context) => stdio(server, context),
});

/** Some clients start this command without the environment of the shell. */
const NO_SERVER_HINT =
  'Add one with `pincer add`, or set PINCER_HOME in the client entry that starts this command.';
const HEAD_END = '\r\n\r\n';

async function stdio(server: string | undefined, { home, entry }: Context): Promise<ExitCode> {
  // The device and agent sources need no configuration.
  if (server !== DEVICE_SOURCE && server !== AGENT_SOURCE && !existsSync(configPath(home)))
    note(`No server is configured in ${home}. ${NO_SERVER_HINT}\n`);
  const { endpoints } = await ensureHub({ home, launch: { entry } });
  const url = new URL(
    server === undefined ? endpoints.mcp : `${endpoints.mcp}/${encodeURIComponent(server)}`,
  );
  const tokenPath = mcpTokenPath(home);
  const endMark = crypto.randomUUID();
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  socket.write(
    `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_PROTOCOL}\r\n` +
      `${STDIO_END_HEADER}: ${endMark}\r\n` +
      (isRunByOpenClaw(process.env) ? `${NO_ORDERS_HEADER}: 1\r\n` : '') +
      `Authorization: Bearer ${readToken(tokenPath) ?? ''}${HEAD_END}`,
  );
  const { status, rest } = await readHead(socket, url.host);
  if (status === 101) return pipe(socket, rest, endMark);
  socket.destroy();
  throw status === 401 ? tokenRefused(tokenPath) : await refusal(status, server, home);
}

interface Answered {
  readonly status: number;
  /** Bytes after the response head. */
  readonly rest: Buffer;
}

function readHead(socket: Socket, host: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const lost = (): void => reject(unreachable(`The hub at ${host} does not answer.`));
    socket.once('error', lost);
    socket.once('end', lost);
    socket.on('data', function onData(chunk: Buffer) {
      received = Buffer.concat([received, chunk]);
      const parsed = parseHead(received.toString('latin1'));
      if (parsed === undefined) return;
      socket.off('error', lost).off('end', lost).off('data', onData).pause();
      const rest = received.subarray(received.length - parsed.rest.length);
      resolve({ status: parsed.head.status, rest });
    });
  });
}

/** Pipes both directions with backpressure until the hub or the client ends. */
function pipe(socket: Socket, first: Buffer, endMark: string): Promise<ExitCode> {
  const { stdin, stdout } = process;
  return new Promise((resolve, reject) => {
    const onLost = (): void => {
      stdin.unpipe(socket).destroy();
      socket.destroy();
      if (stdin.readableEnded) resolve(EXIT.ok);
      else reject(unreachable('The hub has ended.'));
    };
    socket.once('end', onLost);
    socket.once('error', onLost);
    // The client has ended, so no answer can be delivered.
    stdout.once('error', () => process.exit(EXIT.ok));
    if (first.length > 0) stdout.write(first);
    socket.pipe(stdout, { end: false });
    stdin.pipe(socket, { end: false });
    stdin.once('end', () => socket.write(`\n${endMark}\n`));
  });
}

async function refusal(status: number, server: string | undefined, home: string): Promise<PincerError> {
  if (status !== 404 || server === undefined)
    return unreachable(`The hub refused the connection with HTTP ${status}.`);
  const { explainAbsent } = await import('../servers/views.ts');
  return explainAbsent(server, home, process.env);
}

const unreachable = (message: string): PincerError =>
  new PincerError('HUB_UNREACHABLE', message, {
    hint: 'Reconnect in the client. That starts a hub if none is running.',
  });
