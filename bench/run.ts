/** `npm run bench`: Pincer beside a hand-written floor and its peers. */
import { type Options, parseOptions, USAGE, UsageError } from './options.ts';
import { buildPincer, installPeers } from './prepare.ts';
import { removeTemporaryFolders } from './process/folders.ts';
import { endEverything, endEverythingOnSignals, isEnding } from './process/running.ts';
import { subjects } from './subjects/all.ts';

function readOptions(): Options {
  try {
    return parseOptions(
      process.argv.slice(2),
      subjects.map(({ name }) => name),
    );
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : String(error));
    console.error(USAGE);
    process.exit(2);
  }
}

async function main(options: Options): Promise<void> {
  const chosen = subjects.filter(({ name }) => options.only?.includes(name) ?? true);
  installPeers();
  if (chosen.some(({ kind }) => kind === 'pincer')) buildPincer();
  const onProgress = (text: string): void => console.error(text);
  // Imported only now: these use packages that may just have been installed.
  if (options.check !== undefined) {
    const { check } = await import('./check.ts');
    const { seconds } = options;
    const passes = await check({ subjects, seconds, isWriting: options.check === 'write', onProgress });
    if (!passes) process.exitCode = 1;
    return;
  }
  const { measure } = await import('./bench.ts');
  const { figuresReport } = await import('./report/figures-table.ts');
  const { ratiosReport } = await import('./report/ratios.ts');
  const { saveResult } = await import('./report/save.ts');

  const result = await measure(options, chosen, onProgress);
  const file = saveResult(result);
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else console.log(`${figuresReport(result)}\n\n\n${ratiosReport(result)}`);
  console.error(`\nAll rounds: ${file}`);
  const invalid = result.summary.some(({ problems }) => problems.length > 0);
  if (invalid || result.cli.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
}

if (process.platform !== 'linux') {
  console.error('The benchmark reads CPU time and memory from /proc and runs on Linux only.');
  process.exit(2);
}
const options = readOptions();
endEverythingOnSignals(removeTemporaryFolders);
try {
  await main(options);
} catch (error) {
  // After a signal everything fails, and the signal handler is about to exit.
  if (!isEnding()) throw error;
} finally {
  await endEverything();
}
