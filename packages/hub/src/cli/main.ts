/** Entry point of `bin/pincer.js`. Every command loads this file, so each static import here slows all commands. */
import { createContext } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { runProgram } from './program.ts';
import { findRow } from './table.ts';

const words = process.argv.slice(2);
// Words after `--` belong to another program.
const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
const debug = own.includes('--debug');
const json = own.includes('--json') && findRow(words[0] ?? '')?.isPipe !== true;

async function run(): Promise<ExitCode> {
  const context = createContext(json, debug);
  if (words[0] === '__complete') {
    const { completeFromWords } = await import('./completion/names.ts');
    return completeFromWords(words.slice(1), context);
  }
  return runProgram(words, context);
}

process.once('SIGINT', () => process.exit(EXIT.interrupted));
try {
  process.exitCode = await run();
} catch (error) {
  process.exitCode = reportFailure(error, { json, debug });
}
