/** `/mcp` for people, `mcp_manage` for agents. */
import { CONSENT_PATH, hasConsent } from '../cli/consent.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { CommandContext, HostApi, HostTool } from '../host.ts';
import type { Runtime } from '../hub/runtime.ts';
import { createManage, type Manage } from './manage.ts';

/**
 * Only a command that demands scopes is told by the host whether the sender is the owner. Whoever may send a message to
 * an agent over the gateway has this one; on channels, only owners pass.
 */
const SCOPES = ['operator.write'];

export function registerManage(api: HostApi, runtime: Runtime): void {
  const manage = createManage({
    hub: () => runtime.hub(),
    notices: () => (hasConsent(api.runtime.config.current()) ? [] : [NO_CONSENT]),
    now: () => Date.now(),
  });
  api.registerCommand({
    name: 'mcp',
    description: 'MCP servers: servers, tools, connect, disconnect, auth, status, refresh, approvals, accept',
    acceptsArgs: true,
    requiredScopes: SCOPES,
    handler: async (context) => ({
      text: await manage({
        text: context.args ?? '',
        mayChange: context.senderIsOwner === true,
        by: 'command',
        sender: senderOf(context),
      }),
    }),
  });
  api.registerTool(() => manageTool(manage), { name: 'mcp_manage' });
}

const senderOf = ({ senderId, channel, accountId }: CommandContext): Sender | undefined =>
  senderId === undefined ? undefined : { senderId, channel, account: accountId };

const NO_CONSENT = `Agents are not told which servers there are, because ${CONSENT_PATH} is not set: openclaw pincer setup`;

/**
 * It reads, whoever calls it. A model can send what the skill's command sends, word for word, and the host gives the tool
 * nothing that tells the two apart.
 */
const manageTool = (manage: Manage): HostTool => ({
  name: 'mcp_manage',
  label: 'MCP servers',
  description:
    'Look at the MCP servers: "servers", "tools [server]", "status <name>", "approvals", "accept [server.tool]". ' +
    'It changes nothing: to connect, disconnect, sign in, refresh, approve or accept, ask the person to type /mcp …',
  parameters: {
    type: 'object',
    properties: { command: { type: 'string', description: 'For example: status github' } },
    required: ['command'],
  },
  async execute(_id, { command, skillName }) {
    const by = typeof skillName === 'string' ? 'skill' : 'model';
    const text = await manage({ text: typeof command === 'string' ? command : '', mayChange: false, by });
    return { content: [{ type: 'text', text }], details: {} };
  },
});
