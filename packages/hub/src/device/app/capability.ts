/** `app.*`: status and settings of Pincer, for MCP clients only. */
import { z } from 'zod';
import { isRecord } from '../../lib/record.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { optionalText, requiredText } from '../registry/arguments.ts';
import { defineCapability, type Capability, type Payload, CommandFailure } from '../registry/capability.ts';
import { createAppFacts, agentsIn, ofAgent, type AppParts } from './facts.ts';
import { APP_SETTINGS, changeOf, settingNamed, configOf, shownAt, withoutSecrets } from './settings.ts';

const text = z.string();
const count = z.number().nullable();

const NAVIGATED = z.object({ navigated: z.boolean(), page: text, reason: text.optional() });

const STATUS = z.object({
  connectionStatus: text,
  nodeConnected: z.boolean(),
  nodePaired: z.boolean(),
  nodePendingApproval: z.boolean(),
  gatewayVersion: text.nullable(),
  sessionCount: count,
  nodeCount: count,
});

const SESSION = z.object({
  key: text,
  status: text,
  model: text.nullable(),
  ageText: text,
  tokens: z.number(),
});

const NODE = z.object({
  displayName: text,
  nodeId: text,
  isOnline: z.boolean(),
  platform: text,
  capabilityCount: z.number(),
  commandCount: z.number(),
});

const SETTING = z.object({
  name: text.optional(),
  value: z.boolean().optional(),
  error: text.optional(),
});

const MENU_ITEM = z.object({ type: text, status: text.optional(), count: count.optional() });

const HIT = z.object({ title: text, subtitle: text, icon: text });

const missing = (name: string, about: string, choices?: readonly string[]) =>
  requiredText(`Missing required arg: ${name}`, about, choices);
const NOTHING = z.object({});

export function createAppCapability(ports: DevicePorts, parts: AppParts): Capability {
  const { settings } = parts;
  const facts = createAppFacts(ports, parts);

  async function config(path: string): Promise<Payload> {
    const loaded = configOf(await facts.ask('config.get').catch(() => undefined));
    if (loaded === undefined) return { error: 'Config not loaded' };
    const found = shownAt(loaded, path);
    if (found === undefined) return { error: `Path not found: ${path}` };
    return isRecord(found) || Array.isArray(found) ? (found as Payload) : { value: found };
  }

  function readSetting(name: string): Payload {
    const setting = settingNamed(name);
    if (setting === undefined) return { error: inaccessible(name) };
    return { name: setting.name, value: settings.get(setting.key) === true };
  }

  async function writeSetting(name: string, wanted: unknown): Promise<Payload> {
    const setting = settingNamed(name);
    if (setting === undefined) throw new CommandFailure(inaccessible(name), { notExecuted: true });
    const change = changeOf(setting, settings.get(setting.key) === true, wanted);
    if (change.kind === 'refused')
      throw new CommandFailure(change.text, { hint: change.hint, notExecuted: true });
    if (change.kind === 'set') await settings.set(setting.key, change.value);
    return { name: setting.name, value: change.value };
  }

  async function findable(): Promise<Hit[]> {
    const isConnected = facts.state().connectionStatus === 'Connected';
    const [sessions, nodes] = isConnected
      ? await Promise.all([facts.sessions().catch(() => []), facts.nodes().catch(() => [])])
      : [[], []];
    return [
      ...APP_SETTINGS.map(({ name, key }) => ({
        title: name,
        subtitle: `Setting ${key}: ${settings.get(key) === true ? 'on' : 'off'}`,
        icon: 'setting',
      })),
      ...sessions.map(({ key, status }) => ({ title: key, subtitle: `Session: ${status}`, icon: 'session' })),
      ...nodes.map(({ displayName, platform }) => ({
        title: displayName,
        subtitle: `Node: ${platform}`,
        icon: 'node',
      })),
    ];
  }

  return defineCapability({
    category: 'app',
    only: 'mcp',
    commands: {
      'app.navigate': {
        description:
          'Shows a page of the dashboard to the person. Arguments: page. Returns {navigated, page}, and reason if the page was not shown.',
        input: z.object({ page: missing('page', 'Name of the page.') }),
        output: NAVIGATED,
        example: { page: 'activity' },
        annotations: { title: 'Show a page', readOnlyHint: false, destructiveHint: false },
        run: ({ page }) => ({ navigated: false, page, reason: NO_PAGES }),
      },
      'app.status': {
        description:
          'Tells whether Pincer is connected to a gateway of OpenClaw. No arguments. Returns {connectionStatus, nodeConnected, nodePaired, nodePendingApproval, gatewayVersion, sessionCount, nodeCount}; a count is null if the gateway does not report it.',
        input: NOTHING,
        output: STATUS,
        annotations: { title: 'Status of Pincer', readOnlyHint: true },
        async run() {
          const { gatewayVersion = null, ...state } = facts.state();
          const { sessions, nodes } = await facts.counts();
          return { ...state, gatewayVersion, sessionCount: sessions, nodeCount: nodes };
        },
      },
      'app.sessions': {
        description:
          'Lists sessions of the gateway. Arguments: agentId, for the sessions of one agent. Returns a list of {key, status, model, ageText, tokens}.',
        input: z.object({ agentId: optionalText('Only sessions of this agent.') }),
        output: z.array(SESSION),
        example: { agentId: 'main' },
        annotations: { title: 'List sessions', readOnlyHint: true },
        async run({ agentId }) {
          const all = await facts.sessions();
          return agentId ? ofAgent(all, agentId) : all;
        },
      },
      'app.agents': {
        description: 'Lists agents of the gateway, as it describes them. No arguments. Returns a list.',
        input: NOTHING,
        output: z.array(z.looseObject({})),
        annotations: { title: 'List agents', readOnlyHint: true },
        run: async () => agentsIn(withoutSecrets(await facts.ask('agents.list'))),
      },
      'app.nodes': {
        description:
          'Lists nodes of the gateway. No arguments. Returns a list of {displayName, nodeId, isOnline, platform, capabilityCount, commandCount}.',
        input: NOTHING,
        output: z.array(NODE),
        annotations: { title: 'List nodes', readOnlyHint: true },
        run: () => facts.nodes(),
      },
      'app.config.get': {
        description:
          'Reads the configuration of the gateway, without secrets. Arguments: path, dotted, for a part of it. Returns that part; a single value as {value}; {error} if the path does not exist.',
        input: z.object({
          path: optionalText('Dotted path, such as `agents.defaults`. The whole configuration if absent.'),
        }),
        output: z.looseObject({}),
        example: { path: 'gateway.port' },
        annotations: { title: 'Read the configuration', readOnlyHint: true },
        run: ({ path }) => config(path?.trim() ?? ''),
      },
      'app.settings.get': {
        description: `Reads a setting of Pincer. Arguments: name, one of ${SETTING_NAMES.join(', ')}. Returns {name, value}, or {error}.`,
        input: z.object({ name: missing('name', 'Name of the setting.', SETTING_NAMES) }),
        output: SETTING,
        example: { name: 'NodeScreenEnabled' },
        annotations: { title: 'Read a setting', readOnlyHint: true },
        run: ({ name }) => readSetting(name),
      },
      'app.settings.set': {
        description: `Switches a setting of Pincer off. Only the person at this machine can switch it on again. Arguments: name, one of ${SETTABLE_NAMES.join(', ')}; value, "false". Returns {name, value}.`,
        input: z.object({
          name: missing('name', 'Name of the setting.', SETTABLE_NAMES),
          value: z
            .union([z.string(), z.boolean()], { error: 'Missing required arg: value' })
            .describe('"false".'),
        }),
        output: SETTING,
        example: { name: 'NodeCameraEnabled', value: 'false' },
        annotations: {
          title: 'Switch a setting off',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
        },
        run: ({ name, value }) => writeSetting(name, value),
      },
      'app.menu': {
        description:
          'Lists what the menu of Pincer shows. No arguments. Returns a list of {type: "status", status}, {type: "sessions", count} and {type: "nodes", count}.',
        input: NOTHING,
        output: z.array(MENU_ITEM),
        annotations: { title: 'Show the menu', readOnlyHint: true },
        async run() {
          const { sessions, nodes } = await facts.counts();
          return [
            { type: 'status', status: facts.state().connectionStatus },
            { type: 'sessions', count: sessions },
            { type: 'nodes', count: nodes },
          ];
        },
      },
      'app.search': {
        description:
          'Finds pages, settings, sessions and nodes by a part of their names. Arguments: query. Returns a list of at most ten {title, subtitle, icon}.',
        input: z.object({ query: missing('query', 'A part of the name.') }),
        output: z.array(HIT),
        example: { query: 'screen' },
        annotations: { title: 'Search', readOnlyHint: true },
        run: async ({ query }) => searched(await findable(), query),
      },
    },
  });
}

const NO_PAGES = 'Pincer has no pages: there is no dashboard.';
const SETTING_NAMES = APP_SETTINGS.map(({ name }) => name);
const SETTABLE_NAMES = APP_SETTINGS.filter(({ mayBeSet }) => mayBeSet !== 'nothing').map(({ name }) => name);
const inaccessible = (name: string): string => `Setting '${name}' is not accessible`;

/** A result of `app.search`. */
interface Hit {
  readonly title: string;
  readonly subtitle: string;
  readonly icon: string;
}

const MAX_HITS = 10;

/** Keeps the order of `all`. */
function searched(all: readonly Hit[], query: string): Hit[] {
  const wanted = query.trim().toLowerCase();
  return all
    .filter(({ title, subtitle }) => `${title}\n${subtitle}`.toLowerCase().includes(wanted))
    .slice(0, MAX_HITS);
}
