/** Tools that send messages while they run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import { text, type EverythingTool } from '../tool.ts';

const STEP_MS = 50;

export const notifyingTools: EverythingTool[] = [
  {
    name: 'test_tool_with_logging',
    description: 'Logs three times',
    async run({ ctx }) {
      await log(ctx, 'Tool execution started');
      await sleep(STEP_MS);
      await log(ctx, 'Tool processing data');
      await sleep(STEP_MS);
      await log(ctx, 'Tool execution completed');
      return text('Tool with logging executed successfully');
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Logs once, if the client asked for log messages',
    async run({ ctx }) {
      await log(ctx, 'test_logging_tool was called');
      return text('Logged');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports progress three times, if it was asked for',
    async run({ ctx }) {
      const { progressToken } = ctx.mcpReq._meta ?? {};
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await sleep(STEP_MS);
        if (progressToken !== undefined)
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          });
      }
      return text(`Progress was reported under ${progressToken ?? 'no token'}`);
    },
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Answers; the stream of its answer has no request in it',
    run: () => text('Nothing but an answer'),
  },
  {
    name: 'test_reconnection',
    description:
      'Closes the stream of its call before it answers, where there is one that can be taken up again',
    async run({ ctx }) {
      ctx.http?.closeSSE?.();
      await sleep(100);
      return text('Answered after the stream was closed');
    },
  },
];

/** Logs to the client, if it asked for log messages. */
function log(ctx: ServerContext, message: string): Promise<void> {
  // oxlint-disable-next-line typescript/no-deprecated -- both eras have it, and the suite asks for it
  return ctx.mcpReq.log('info', message);
}
