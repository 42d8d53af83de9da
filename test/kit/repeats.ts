/**
 * Counts what a test had to repeat because the machine or the host was not ready. The caller limits each repeat. The
 * last lines of `npm test` show the counts.
 */
import { appendFileSync } from 'node:fs';

const FILE = process.env['PINCER_TEST_REPEATS'];

/** @param what The kind of repeat, always in the same words. @param about Details of this repeat. */
export function reportRepeat(what: string, about: string): void {
  if (FILE === undefined) console.warn(`repeated: ${what} (${about})`);
  else appendFileSync(FILE, `${JSON.stringify({ what, about })}\n`);
}
