/** For clients that know no tasks: a tool to come back with for an answer that took long, and one to stop the work. */
import { z } from 'zod';
import { inputSchema } from '../tool-arguments.ts';

const orderId = z.string().describe('The id that order_openclaw gave for the order');

const statusArguments = z.object({
  orderId,
  waitMs: z
    .int()
    .min(0)
    .optional()
    .describe(
      'How many milliseconds to wait for the answer if it is not there yet; as long as possible otherwise',
    ),
});

const stopArguments = z.object({ orderId });

export interface StatusTool {
  readonly name: 'order_status' | 'order_stop';
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, boolean>>;
}

export const orderStatusTool = (): StatusTool => ({
  name: 'order_status',
  description:
    'Get the answer to an earlier message to OpenClaw that took longer than order_openclaw could wait. Waits for the answer for a while; if OpenClaw is still working, says what it has said so far.',
  inputSchema: inputSchema(statusArguments),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
});

export const orderStopTool = (): StatusTool => ({
  name: 'order_stop',
  description: 'Stop OpenClaw from working on an earlier message that it has not answered yet.',
  inputSchema: inputSchema(stopArguments),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});

/** What their arguments are read with. */
export const statusToolSchemas = { order_status: statusArguments, order_stop: stopArguments } as const;
