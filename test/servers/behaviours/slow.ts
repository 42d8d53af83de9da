import { setTimeout as sleep } from 'node:timers/promises';
import { define, numberArg, text, type Tool } from '../tool.ts';

/** A cancelled wait rejects; the call table has recorded the cancellation. */
export const slow: Tool = {
  definition: define('slow', 'Answers after some milliseconds, unless it is cancelled.', { ms: 'number' }),
  async handle({ args, signal }) {
    const ms = numberArg(args, 'ms');
    await sleep(ms, undefined, { signal });
    return text(`waited ${ms} ms`);
  },
};
