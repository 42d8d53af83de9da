import { temporaryFolder } from '../process/folders.ts';
import type { Contender } from './contender.ts';

/** The cost of starting any program on Node. */
export function createBase(): Contender {
  const folder = temporaryFolder('node');
  return {
    name: 'node -e 0',
    subject: 'node',
    temperature: 'base',
    setUp: async () => {},
    command: () => ({ args: ['-e', '0'], folder }),
    tearDown: async () => {},
    serverStarts: () => 0,
  };
}
