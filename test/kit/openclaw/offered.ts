import { eventually } from '../processes.ts';
import type { Host } from './host.ts';
import type { Operator } from './operator.ts';

const OFFERED_MS = 60_000;
const PAUSE_MS = 500;

/** The names of the tools that the agent's model is offered now. */
export async function offeredTools(host: Host, operator: Operator): Promise<string[]> {
  const message = `which tools? ${crypto.randomUUID()}`;
  await operator.chat('agent:main:offered', message);
  return (await host.asked(message))[0]?.tools.map(({ name }) => name) ?? [];
}

/** Waits until agents have a tool. OpenClaw applies a change of its file some time after the write. */
export async function whenOffered(host: Host, operator: Operator, tool: string): Promise<void> {
  const isOffered = async (): Promise<boolean> => (await offeredTools(host, operator)).includes(tool);
  if (!(await eventually(isOffered, OFFERED_MS, PAUSE_MS))) throw new Error(`${tool} is not offered.`);
}
