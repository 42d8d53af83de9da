/** A small server on stdio that misbehaves only in the ways that its flags name. */
import { parseArgs } from 'node:util';
import { isObject } from './json.ts';
import { createLineReader } from './transports/lines.ts';

const { values: flags } = parseArgs({
  options: {
    /** Name of the first tool. */
    tool: { type: 'string', default: 'echo' },
    /** Length of its description. */
    'list-bytes': { type: 'string', default: '0' },
    /** Returns this cursor with every page of tools. */
    cursor: { type: 'string' },
    /** Milliseconds before a list is answered. */
    'list-delay': { type: 'string', default: '0' },
    /** How many lists are refused before one is answered. */
    'refuse-lists': { type: 'string', default: '0' },
    /** Announces a change of the tools after every list. */
    restless: { type: 'boolean', default: false },
    /** Does not answer unknown methods. */
    mute: { type: 'boolean', default: false },
    /** After its tools were listed, stops reading and sends pings forever, with ids of this length. */
    'ping-flood': { type: 'string' },
  },
});

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'hostile', version: '1' },
};
const TOOLS = [
  { name: flags.tool, description: 'd'.repeat(Number(flags['list-bytes'])), inputSchema: { type: 'object' } },
  { name: 'raw', inputSchema: { type: 'object' } },
];
let lists = 0;

function listTools(answer: (members: string) => void): void {
  lists++;
  process.stderr.write('list\n');
  if (lists <= Number(flags['refuse-lists'])) return answer('"error":{"code":-32000,"message":"not yet"}');
  const page = { tools: TOOLS, nextCursor: flags.cursor };
  setTimeout(() => {
    answer(`"result":${JSON.stringify(page)}`);
    if (flags.restless) write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    if (flags['ping-flood'] !== undefined) flood(Number(flags['ping-flood']));
  }, Number(flags['list-delay']));
}

function flood(idLength: number): void {
  process.stdin.pause();
  const ping = `{"jsonrpc":"2.0","id":"${'p'.repeat(idLength)}","method":"ping"}\n`;
  const pings = ping.repeat(Math.ceil(65_536 / idLength));
  const pump = (): void => void process.stdout.write(pings, pump);
  pump();
}

/** The tool `raw` returns the members in its arguments; every other tool succeeds. */
function callTool(params: unknown, answer: (members: string) => void): void {
  const { name, arguments: given } = params as { name: string; arguments?: { members: string } };
  answer(name === 'raw' ? given!.members : '"result":{"content":[{"type":"text","text":"hostile"}]}');
}

function onLine(line: string): void {
  const message: unknown = JSON.parse(line);
  if (!isObject(message) || message['id'] === undefined) return;
  const answer = (members: string): void =>
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(message['id'])},${members}}`);
  if (message['method'] === 'initialize') answer(`"result":${JSON.stringify(INITIALIZED)}`);
  else if (message['method'] === 'tools/list') listTools(answer);
  else if (message['method'] === 'tools/call') callTool(message['params'], answer);
  else if (!flags.mute) answer('"error":{"code":-32601,"message":"Method not found"}');
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.stdin.on('data', createLineReader(onLine));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
