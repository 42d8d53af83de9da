/** tasks/get, tasks/update and tasks/cancel, which the SDK does not provide. */
import {
  fromJsonSchema,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { EverythingState } from '../state.ts';
import { objectOf } from '../tool.ts';
import { assertTasks } from './extension.ts';
import type { Task } from './task.ts';

const PARAMS = fromJsonSchema<{ taskId: string }>(objectOf({ taskId: { type: 'string' } }));

type Perform = (task: Task, ctx: ServerContext) => object | void;

const METHODS: Record<string, Perform> = {
  'tasks/get': (task) => task.detail(),
  'tasks/update': (task, { mcpReq }) => task.update(mcpReq.inputResponses ?? {}),
  'tasks/cancel': (task) => task.cancel(),
};

export function addTaskMethods(
  { server }: McpServer,
  { tasks }: EverythingState,
  capabilitiesOf: (ctx: ServerContext) => ClientCapabilities,
): void {
  for (const [method, perform] of Object.entries(METHODS))
    server.setRequestHandler(method, { params: PARAMS }, ({ taskId }, ctx) => {
      assertTasks(capabilitiesOf(ctx));
      const task = tasks.get(taskId);
      if (task === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}`);
      return { ...perform(task, ctx) };
    });
}
