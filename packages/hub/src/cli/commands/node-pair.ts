/** `pincer node pair`: this machine as a node of a gateway of OpenClaw, step by step. */
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { pairNode, reportPairing } from '../node/pair-node.ts';
import type { PairOptions } from '../node/target.ts';

export const nodePair = async (options: PairOptions, context: Context): Promise<ExitCode> =>
  reportPairing(await pairNode(options, context), context);
