/** The one tool that an OpenClaw agent is to an MCP client. */
import { z } from 'zod';
import { inputSchema } from './tool-arguments.ts';

const media = (kind: 'image' | 'file', example: string) =>
  z.object({
    data: z.string().describe(`Base64-encoded ${kind} data`),
    mimeType: z.string().describe(`MIME type (e.g., '${example}')`),
    filename: z.string().optional().describe('Optional filename'),
  });

const orderArguments = z.object({
  message: z.string().describe('The message to send to OpenClaw'),
  sessionKey: z.string().optional().describe('Optional session key for conversation continuity'),
  images: z
    .array(media('image', 'image/png'))
    .optional()
    .describe('Optional base64-encoded images (max 10, 15MB each)'),
  files: z
    .array(media('file', 'application/pdf'))
    .optional()
    .describe('Optional base64-encoded files (max 5, 15MB each)'),
});

const withAgent = orderArguments.extend({
  agent: z
    .string()
    .optional()
    .describe('Optional id of the OpenClaw agent to ask; the default one otherwise'),
});

export type OrderArguments = z.infer<typeof withAgent>;

export interface OrderTool {
  readonly name: 'order_openclaw';
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface OrderToolSettings {
  /** Callers may name the agent that they ask. */
  readonly agent?: boolean | undefined;
}

export function orderTool({ agent = false }: OrderToolSettings = {}): OrderTool {
  return {
    name: 'order_openclaw',
    description:
      'Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.',
    inputSchema: inputSchema(orderSchema({ agent })),
  };
}

/** What its arguments are read with. */
export const orderSchema = ({ agent = false }: OrderToolSettings = {}): z.ZodType<OrderArguments> =>
  agent ? withAgent : orderArguments;
