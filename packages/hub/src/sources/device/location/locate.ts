/** Asks one source after the other until one knows. */
import type { Log } from '../../../core/ports.ts';
import type { LocationOrder } from './arguments.ts';
import { LocationProblem } from './failures.ts';
import type { Fix } from './fix.ts';
import type { LocationBackend } from './backends/backend.ts';

/** A place that is no better known is a guess by the address of the connection, and those are never told. */
const MAX_ACCURACY_METERS = 5_000;

export interface LocateParts {
  readonly log: Log;
  /** Milliseconds that only grow. */
  elapsed(): number;
  readonly signal: AbortSignal;
}

export async function locate(
  sources: readonly LocationBackend[],
  { accuracy, timeoutMs }: LocationOrder,
  { log, elapsed, signal }: LocateParts,
): Promise<Fix> {
  const begin = elapsed();
  let problem = new LocationProblem('unknown', 'nobody was asked');
  for (const source of sources) {
    const left = Math.round(timeoutMs - (elapsed() - begin));
    if (left <= 0) break;
    try {
      const fix = await source.locate({ accuracy, timeoutMs: left, signal });
      if (fix.accuracy <= MAX_ACCURACY_METERS) return fix;
      problem = new LocationProblem('unknown', `${source.name} knows it within ${fix.accuracy} metres only`);
    } catch (error) {
      if (!(error instanceof LocationProblem)) throw error;
      // The person has said no: nobody else is asked behind their back.
      if (error.problem === 'denied' || error.problem === 'off') throw error;
      log.debug('a source does not know where this machine is', { source: source.name, error });
      problem = error;
    }
  }
  throw problem;
}
