/** Where `bin/pincer.js` goes. `call` and `stdio` load nothing but themselves. */
import { createContext } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './failure.ts';

const words = process.argv.slice(2);
// What follows `--` belongs to another program.
const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
const json = own.includes('--json');
const debug = own.includes('--debug');

async function run(): Promise<ExitCode> {
  const wantsHelp = own.includes('--help') || own.includes('-h');
  if (words[0] === 'call' && !wantsHelp) {
    const [{ call }, { parseCall }] = await Promise.all([
      import('./commands/call.ts'),
      import('./call/options.ts'),
    ]);
    return call(parseCall(words.slice(1)), createContext(json));
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(words, createContext(json), debug);
}

if (words[0] !== 'up') process.once('SIGINT', () => process.exit(EXIT.interrupted));
try {
  process.exitCode = await run();
} catch (error) {
  process.exitCode = reportFailure(error, { json, debug });
}
