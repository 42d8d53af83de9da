/** Tools that become tasks if the client supports them. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptedContent,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { elicit } from '../questions.ts';
import { objectOf, text, type Call, type EverythingTool } from '../tool.ts';
import { assertTasks, declaresTasks } from './extension.ts';
import { Task, type TaskControl, type TaskWork } from './task.ts';

const JOB_MS = 500;
const CONFIRM = objectOf({ confirm: { type: 'boolean' } });

type Work = (args: Record<string, unknown>, control: TaskControl) => Promise<CallToolResult>;

const openEnded = (properties: Record<string, unknown>): Record<string, unknown> => objectOf(properties, []);

export const taskTools: EverythingTool[] = [
  {
    name: 'greet',
    description: 'Greets; never a task',
    inputSchema: objectOf({ name: { type: 'string' } }),
    run: ({ args }) => text(`Hello, ${String(args['name'])}!`),
  },
  {
    name: 'slow_compute',
    description: 'Takes the given number of seconds, as a task if the client supports it',
    inputSchema: openEnded({ seconds: { type: 'number' }, label: { type: 'string' } }),
    run: optional(async ({ seconds = 0, label }, { signal }) => {
      await sleep(Number(seconds) * 1_000, undefined, { signal });
      return text(`Computed ${JSON.stringify(label)}`);
    }),
  },
  {
    name: 'failing_job',
    description: 'Fails after a while; always a task',
    run: required(async () => {
      await sleep(JOB_MS);
      return { ...text('This job fails'), isError: true };
    }),
  },
  {
    name: 'protocol_error_job',
    description: 'Throws, as a task if the client supports it',
    run: optional(async () => {
      await sleep(JOB_MS);
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'This job breaks down');
    }),
  },
  {
    name: 'confirm_delete',
    description: 'Asks before it deletes nothing; always a task',
    inputSchema: objectOf({ filename: { type: 'string' } }),
    run: required(async ({ filename }, { ask }) => {
      const answers = await ask({ confirm: elicit(`Delete ${String(filename)}?`, CONFIRM) });
      return text(`Asked, and heard ${JSON.stringify(answers)}`);
    }),
  },
  {
    name: 'multi_input',
    description: 'Asks two questions at once; always a task',
    run: required(async (_args, { ask }) => {
      const name = elicit('What is your name?', objectOf({ name: { type: 'string' } }));
      const answers = await ask({ name, confirm: elicit('Are you sure?', CONFIRM) });
      return text(`Asked, and heard ${JSON.stringify(answers)}`);
    }),
  },
  {
    name: 'test_tool_with_task',
    description: 'Asks for a name in a round of its own, then becomes a task',
    run(call) {
      assertTasks(call.capabilities);
      const name = acceptedContent(call.ctx.mcpReq.inputResponses, 'user_name')?.['name'];
      if (typeof name === 'string') return begin(call, async () => text(`Hello, ${name}!`));
      const question = elicit('What is your name?', objectOf({ name: { type: 'string' } }));
      return inputRequired({ inputRequests: { user_name: question } });
    },
  },
];

function optional(work: Work): EverythingTool['run'] {
  return (call) => {
    const { signal } = call.ctx.mcpReq;
    if (declaresTasks(call.capabilities)) return begin(call, (control) => work(call.args, control));
    return work(call.args, { signal, ask: async () => ({}) });
  };
}

function required(work: Work): EverythingTool['run'] {
  return (call) => {
    assertTasks(call.capabilities);
    return begin(call, (control) => work(call.args, control));
  };
}

function begin({ state }: Call, work: TaskWork): CallToolResult {
  const task = new Task(work);
  state.tasks.set(task.id, task);
  return { resultType: 'task', ...task.describe() } as unknown as CallToolResult;
}
