/**
 * A hand-written stdio server. It starts as fast as Node, so any overhead of starting fifty of them shows.
 *
 * Plain JavaScript, so that type stripping does not count.
 */
import { TOOLS } from './tools.mjs';

const METHODS = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'ten-tools', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': ({ arguments: { message } }) => ({ content: [{ type: 'text', text: message }] }),
};

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  const answers = lines
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== undefined)
    .map(({ id, method, params }) => JSON.stringify({ jsonrpc: '2.0', id, result: METHODS[method](params) }));
  if (answers.length > 0) process.stdout.write(`${answers.join('\n')}\n`);
});
process.stdin.on('end', () => process.exit(0));
