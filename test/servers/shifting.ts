/**
 * A small server on stdio whose tools come from a file: the file is the result of `tools/list`, byte for byte. It
 * announces changes of the file, and appends the names of called tools to a file beside it.
 */
import { appendFileSync, readFileSync, watchFile } from 'node:fs';
import { isObject } from './json.ts';
import { createLineReader } from './transports/lines.ts';

const WATCH_MS = 50;

const path = process.argv[2]!;
const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'shifting', version: '1' },
  instructions: process.argv[3],
};

function callTool(params: unknown): string {
  const { name } = params as { name: string };
  appendFileSync(`${path}.calls`, `${name}\n`);
  return `"result":{"content":[{"type":"text","text":${JSON.stringify(`called ${name}`)}}]}`;
}

function answerTo(method: unknown, params: unknown): string {
  if (method === 'initialize') return `"result":${JSON.stringify(INITIALIZED)}`;
  if (method === 'tools/list') return `"result":${readFileSync(path, 'utf8')}`;
  if (method === 'tools/call') return callTool(params);
  if (method === 'ping') return '"result":{}';
  return '"error":{"code":-32601,"message":"Method not found"}';
}

function onLine(line: string): void {
  const message: unknown = JSON.parse(line);
  if (!isObject(message) || message['id'] === undefined) return;
  write(
    `{"jsonrpc":"2.0","id":${JSON.stringify(message['id'])},${answerTo(message['method'], message['params'])}}`,
  );
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

watchFile(path, { interval: WATCH_MS }, () =>
  write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'),
);
process.stdin.on('data', createLineReader(onLine));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
