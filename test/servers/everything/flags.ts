import { parseArgs } from 'node:util';
import type { Era } from '../flags.ts';

export interface EverythingFlags {
  transport: 'stdio' | 'http';
  era: Era | 'dual';
  /** 0 = a free port. */
  port: number;
}

export function parseFlags(argv: string[]): EverythingFlags {
  const { values } = parseArgs({
    args: argv,
    options: {
      transport: { type: 'string', default: 'stdio' },
      era: { type: 'string', default: 'dual' },
      port: { type: 'string', default: '0' },
    },
  });
  const { transport, era } = values;
  if (transport !== 'stdio' && transport !== 'http') throw new Error('--transport is stdio or http');
  if (era !== 'legacy' && era !== 'modern' && era !== 'dual')
    throw new Error('--era is legacy, modern or dual');
  return { transport, era, port: Number(values.port) };
}
