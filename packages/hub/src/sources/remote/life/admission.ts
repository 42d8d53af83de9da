/**
 * At most so many connection attempts begin at once; the others wait their turn. One that takes its time gives its place
 * to the next: a server that says nothing holds up nobody.
 */
export function createAdmission(
  max: number,
  holdMs: number = HOLD_MS,
): <T>(attempt: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return async (attempt) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    let hasLeft = false;
    const leaveOnce = (): void => {
      if (!hasLeft) leave();
      hasLeft = true;
    };
    const timer = setTimeout(leaveOnce, holdMs).unref();
    try {
      return await attempt();
    } finally {
      clearTimeout(timer);
      leaveOnce();
    }
  };
}

/** Most programs have said something by then. */
const HOLD_MS = 2_000;
