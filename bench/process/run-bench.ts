/** Runs a benchmark, on Linux only, and always cleans up. */
import { removeTemporaryFolders } from './folders.ts';
import { endEverything, endEverythingOnSignals, isEnding } from './running.ts';

export async function runBench(main: () => Promise<void>): Promise<void> {
  if (process.platform !== 'linux') {
    console.error('The benchmark reads processes, CPU time and memory from /proc and runs on Linux only.');
    process.exit(2);
  }
  endEverythingOnSignals(removeTemporaryFolders);
  try {
    await main();
  } catch (error) {
    // After a signal everything fails, and the signal handler is about to exit.
    if (!isEnding()) throw error;
  } finally {
    await endEverything();
  }
}
