/** `/mcp …` for people and `mcp_manage` for agents: one handler, and its registration in OpenClaw. */
import { closest, PincerError, visible } from 'pincer/client';
import { keptEntries, ownEntries } from '../entries/entries.ts';
import type { Sender } from '../entries/per-caller.ts';
import type { Clash } from '../entries/plan.ts';
import { CONSENT_PATH, hasConsent } from '../host-config.ts';
import type { CommandContext, HostApi, HostConfig, HostTool } from '../host.ts';
import type { Runtime } from '../hub/keeper.ts';
import { accept } from './commands/accept.ts';
import { approvals } from './commands/approvals.ts';
import { auth } from './commands/auth.ts';
import { connect } from './commands/connect.ts';
import { disconnect } from './commands/disconnect.ts';
import { createHelp, MOVED } from './commands/help.ts';
import { refresh } from './commands/refresh.ts';
import { servers } from './commands/servers.ts';
import { status } from './commands/status.ts';
import { tools } from './commands/tools.ts';
import { readArguments, splitWords } from './input.ts';
import { cut, renderAnswer, renderFailure, type Answer } from './render.ts';
import {
  createShownDefinitions,
  createShownQuestions,
  type ManageContext,
  type Subcommand,
} from './subcommand.ts';

export type ManageParts = Pick<ManageContext, 'hub' | 'notices' | 'entries' | 'settle' | 'now'>;

export interface ManageRequest {
  /** The text after `/mcp`. */
  readonly text: string;
  /** Whether the owner certainly typed this. */
  readonly mayChange: boolean;
  /** Used only for the wording, because it is not authenticated. */
  readonly by: 'command' | 'model' | 'skill';
  readonly sender?: Sender | undefined;
}

type Manage = (request: ManageRequest) => Promise<string>;

const LISTED = [servers, tools, connect, disconnect, auth, status, refresh, approvals, accept];
const ALL: readonly Subcommand[] = [...LISTED, createHelp(LISTED), ...MOVED];
const MAX_REPEATED = 120;

export function createManage(parts: ManageParts): Manage {
  const shown = createShownDefinitions();
  const shownQuestions = createShownQuestions();

  async function answer(request: ManageRequest): Promise<Answer> {
    const [name = 'help', ...words] = splitWords(request.text);
    const subcommand = findSubcommand(name);
    const given = readArguments(words, subcommand);
    if (!request.mayChange && subcommand.changes(given)) throw ownersOnly(request);
    return subcommand.run(given, {
      ...parts,
      shown: request.mayChange ? shown : undefined,
      shownQuestions: request.mayChange ? shownQuestions : undefined,
      sender: request.sender,
    });
  }

  return async (request) => {
    const reader = request.by === 'model' ? 'model' : 'person';
    return renderAnswer(await answer(request).catch(renderFailure), reader);
  };
}

function findSubcommand(name: string): Subcommand {
  const lower = name.toLowerCase();
  const found = ALL.find((each) => each.name === lower);
  if (found !== undefined) return found;
  const near = closest(
    lower,
    LISTED.map((each) => each.name),
  );
  throw new PincerError('USAGE', `Unknown subcommand of /mcp: "${cut(name, MAX_REPEATED)}".`, {
    hint: near === undefined ? 'Type /mcp help.' : `Did you mean /mcp ${near}?`,
  });
}

function ownersOnly({ text, by }: ManageRequest): PincerError {
  const command = `/mcp ${cut(visible(text.trim()), MAX_REPEATED)}`;
  if (by === 'command')
    return new PincerError('POLICY_DENIED', 'Only the owner of this OpenClaw may do that.', {
      hint: 'Owners connect with operator.admin, or are listed in commands.ownerAllowFrom.',
    });
  const hint = by === 'model' ? `Ask them to type: ${command}` : `Type: ${command}`;
  return new PincerError('POLICY_DENIED', 'Only the owner can do that, by typing the command.', { hint });
}

/**
 * The host tells a command whether the sender is the owner only if the command requires scopes. Every gateway client that
 * may send messages has this one; on channels, only owners pass.
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
  `mcp.servers has your own entry ${taken}, so the tools of ${server} are named ${key}__<tool>. To free the name: openclaw mcp unset ${taken}`;

const NO_CONSENT = `Agents do not get the list of servers, because ${CONSENT_PATH} is not set: openclaw pincer setup`;

/** Read-only: a model can send exactly what the skill's command sends, and the host does not tell them apart. */
const manageTool = (manage: Manage): HostTool => ({
  name: 'mcp_manage',
  label: 'MCP servers',
  description:
    'Inspect the MCP servers: "servers", "tools [server]", "status <name>", "approvals", "accept [server.tool]". ' +
    'It cannot change anything: to connect, disconnect, sign in, refresh, approve or accept, ask the person to type /mcp …',
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
