/** What there is to be had of OpenClaw's agent. */
import type { AgentConfig } from '../../config/schema.ts';
import { readRawOffer, type Offer } from '../../core/catalog/offer.ts';
import { TASKS_EXTENSION } from '../../core/protocol.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { SHELF_TEMPLATE } from './media/out/shelf.ts';
import { orderStatusTool, orderStopTool } from './tasks/status-tool.ts';
import { orderTool } from './tool-definition.ts';

export const offerFor = ({ agents, orderStatus }: AgentConfig): Offer =>
  readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: {}, resources: {}, tasks: {}, extensions: { [TASKS_EXTENSION]: {} } },
      serverInfo: { name: 'openclaw', title: 'OpenClaw' },
    }),
    tools: [
      // 2025-11-25: a client may ask for a task instead of an answer.
      { ...orderTool({ agent: agents.length > 0 }), execution: { taskSupport: 'optional' } },
      ...(orderStatus ? [orderStatusTool(), orderStopTool()] : []),
    ].map((tool) => jsonBytes(tool)),
    prompts: [],
    resources: [],
    templates: [
      jsonBytes({
        name: 'openclaw-media',
        uriTemplate: SHELF_TEMPLATE,
        description: 'What OpenClaw answered with and was too large for the answer itself.',
      }),
    ],
  });
