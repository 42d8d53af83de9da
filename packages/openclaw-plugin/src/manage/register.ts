/** `/mcp` for people, `mcp_manage` for agents. */
import { CONSENT_PATH, hasConsent } from '../cli/consent.ts';
import { ownEntries } from '../entries/entries.ts';
import { keptEntries } from '../entries/kept.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { Clash } from '../entries/plan.ts';
import type { CommandContext, HostApi, HostConfig, HostTool } from '../host.ts';
import type { Runtime } from '../hub/runtime.ts';
import { createManage, type Manage } from './manage.ts';

/**
 * Only a command that demands scopes is told by the host whether the sender is the owner. Whoever may send a message to
 * an agent over the gateway has this one; on channels, only owners pass.
 */
const SCOPES = ['operator.write'];

export function registerManage(api: HostApi, runtime: Runtime, home: string): void {
  const current = (): HostConfig => api.runtime.config.current();
  const isByNode = api.pluginConfig?.['toolsVia'] === 'node';
  const manage = createManage({
    hub: () => runtime.hub(),
    notices: () => [
      ...(hasConsent(current()) ? [] : [NO_CONSENT]),
      ...(keptEntries(home)?.clashes() ?? []).map(clashNotice),
    ],
    entries: () => (isByNode ? undefined : ownEntries(current(), home)),
    settle: async (isRepair) => (await keptEntries(home)?.settle(isRepair))?.changed ?? [],
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

const clashNotice = ({ server, taken, key }: Clash): string =>
  `You have an entry ${taken} of your own in mcp.servers, so the tools of ${server} are called ${key}__<tool>: openclaw mcp unset ${taken}`;

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
