/** Where `bin/pincer.js` goes. `call`, `stdio`, a plain `up` and what completes a word load nothing but themselves. */
import { createContext } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { plainUp } from './plain-up.ts';

const words = process.argv.slice(2);
// What follows `--` belongs to another program.
const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
const debug = own.includes('--debug');
// Their stdout is the protocol's alone.
const isPipe = ['stdio', 'proxy-stdio', 'mcp-server'].includes(words[0] ?? '');
const json = own.includes('--json') && !isPipe;

async function run(): Promise<ExitCode> {
  const context = createContext(json, debug);
  const wantsHelp = own.includes('--help') || own.includes('-h');
  if (words[0] === 'call' && !wantsHelp) {
    const { callFromWords } = await import('./commands/call.ts');
    return callFromWords(words.slice(1), context);
  }
  if (words[0] === 'stdio' && !wantsHelp) {
    const { stdioFromWords } = await import('./commands/stdio.ts');
    return stdioFromWords(words.slice(1), context);
  }
  if (words[0] === 'mcp-server' && !wantsHelp) {
    const { mcpServerFromWords } = await import('./commands/mcp-server.ts');
    return mcpServerFromWords(words.slice(1), context);
  }
  const upOptions = words[0] === 'up' ? plainUp(words.slice(1)) : undefined;
  if (upOptions !== undefined) {
    const { up } = await import('./commands/up.ts');
    return up(upOptions, context);
  }
  if (words[0] === '__complete') {
    const { completeFromWords } = await import('./completion/complete-words.ts');
    return completeFromWords(words.slice(1), context);
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(words, context);
}

process.once('SIGINT', () => process.exit(EXIT.interrupted));
try {
  process.exitCode = await run();
} catch (error) {
  process.exitCode = reportFailure(error, { json, debug });
}
