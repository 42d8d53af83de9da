import { setTimeout as sleep } from 'node:timers/promises';
import { define, numberArg, text, type Tool } from '../tool.ts';

export const progress: Tool = {
  definition: define('progress', 'Reports progress step by step.', { steps: 'number', everyMs: 'number?' }),
  async handle({ args, signal, progress: report }) {
    const steps = numberArg(args, 'steps');
    const everyMs = numberArg(args, 'everyMs', 0);
    for (let step = 1; step <= steps; step++) {
      report(step, steps, `step ${step}`);
      await sleep(everyMs, undefined, { signal });
    }
    return text(`${steps} steps`);
  },
};
