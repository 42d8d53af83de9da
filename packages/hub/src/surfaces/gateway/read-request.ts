/** What a gateway asks a node for, read strictly: a field of the wrong type is as if it were absent. */
import { z } from 'zod';

export interface InvokeRequest {
  readonly id: string;
  readonly command: string;
  readonly paramsJSON: string;
  readonly timeoutMs: number | undefined;
  /** The gateway's own word on the conversation that it comes from. */
  readonly session: string | undefined;
}

const optionalText = z.string().min(1).optional().catch(undefined);

const requestSchema = z.object({
  id: z.string().min(1),
  nodeId: optionalText,
  command: z.string().catch(''),
  paramsJSON: optionalText,
  timeoutMs: z.number().positive().optional().catch(undefined),
  sessionKey: optionalText,
});

/** Undefined: it is for somebody else, or cannot be answered. */
export function readRequest(payload: unknown, nodeId: string): InvokeRequest | undefined {
  const { success, data } = requestSchema.safeParse(payload);
  if (!success || (data.nodeId ?? nodeId) !== nodeId) return undefined;
  const { id, command, paramsJSON = '{}', timeoutMs, sessionKey } = data;
  return { id, command: command.trim(), paramsJSON, timeoutMs, session: sessionKey };
}

const cancelSchema = z.object({ invokeId: optionalText, requestId: optionalText, nodeId: optionalText });

export function readCancel(payload: unknown, nodeId: string): string | undefined {
  const { success, data } = cancelSchema.safeParse(payload);
  if (!success || (data.nodeId ?? nodeId) !== nodeId) return undefined;
  return data.invokeId ?? data.requestId;
}

const COMMAND = /^[a-zA-Z0-9._-]{1,100}$/;

export const isCommandName = (command: string): boolean => COMMAND.test(command);
