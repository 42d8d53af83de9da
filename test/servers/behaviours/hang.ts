import { define, type Tool } from '../tool.ts';

export const hang: Tool = {
  definition: define('hang', 'Never answers, not even when it is cancelled.'),
  handle: () => new Promise(() => {}),
};
