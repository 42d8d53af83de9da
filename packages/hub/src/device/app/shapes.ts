/** What `app.*` gives back. */
import { z } from 'zod';

const text = z.string();
const count = z.number().nullable();

export const NAVIGATED = z.object({ navigated: z.boolean(), page: text, reason: text.optional() });

export const STATUS = z.object({
  connectionStatus: text,
  nodeConnected: z.boolean(),
  nodePaired: z.boolean(),
  nodePendingApproval: z.boolean(),
  gatewayVersion: text.nullable(),
  sessionCount: count,
  nodeCount: count,
});

export const SESSION = z.object({
  key: text,
  status: text,
  model: text.nullable(),
  ageText: text,
  tokens: z.number(),
});

export const NODE = z.object({
  displayName: text,
  nodeId: text,
  isOnline: z.boolean(),
  platform: text,
  capabilityCount: z.number(),
  commandCount: z.number(),
});

export const SETTING = z.object({
  name: text.optional(),
  value: z.boolean().optional(),
  error: text.optional(),
});

export const MENU_ITEM = z.object({ type: text, status: text.optional(), count: count.optional() });

export const HIT = z.object({ title: text, subtitle: text, icon: text });
