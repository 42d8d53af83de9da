/**
 * The floor of HTTP in front of a stdio server: one child, ids remapped, writes batched per turn of the event loop.
 * Usage: node stdio.mjs PORT COMMAND ARGS…
 */
import { spawn } from 'node:child_process';
import { handshake, sendJson, serve } from './front.mjs';

const [port, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.on('exit', () => process.exit(1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill());

const waiting = new Map();
let lastId = 0;
let outgoing = '';
let rest = '';

function flush() {
  child.stdin.write(outgoing);
  outgoing = '';
}

function write(message) {
  if (outgoing === '') setImmediate(flush);
  outgoing += `${JSON.stringify(message)}\n`;
}

function request(method, params, onAnswer) {
  lastId += 1;
  waiting.set(lastId, onAnswer);
  write({ jsonrpc: '2.0', id: lastId, method, params });
}

child.stdout.setEncoding('utf8');
child.stdout.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    const onAnswer = waiting.get(message.id);
    if (onAnswer === undefined) continue;
    waiting.delete(message.id);
    onAnswer(message);
  }
});

request('initialize', handshake, (initialized) => {
  write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  serve(Number(port), (message, _bytes, response) => {
    const reply = (answer) => sendJson(response, JSON.stringify({ ...answer, id: message.id }));
    if (message.method === 'initialize') reply(initialized);
    else request(message.method, message.params, reply);
  });
});
