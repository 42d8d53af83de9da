/** The views at `/mcp/NAME`: servers, this machine, OpenClaw's agent and apps. */
import { ask, findHubClient } from '../../control/client/hub-client.ts';
import { appsIn, readConfigFile, serversIn } from '../../config/read-file.ts';
import { openClawFilePath, readOpenClawFile, readOpenClawSettings } from '../../config/openclaw-file.ts';
import { APP_TOKEN } from '../../config/proxy-settings.ts';
import { SHARED_APP } from '../../core/app-names.ts';
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import { hasAgent } from '../../agent/agent.ts';
import { configPath } from '../../owner/state-folder.ts';
import { notOfferedByHub, notOfferedError, notOfferedHere } from './not-offered.ts';
import { unknownServer } from './unknown-server.ts';

/** Throws if there is no such view, with a similar name or with the way to switch it on. */
export function assertView(name: string, home: string, env: Environment): void {
  const problem = unknownView(name, home, env);
  if (problem !== undefined) throw problem;
}

/** Explains why the running hub has no such view. */
export function absentView(name: string, home: string, env: Environment): PincerError {
  if (name === DEVICE_SOURCE) return notOfferedError(notOfferedByHub(home, env));
  return (
    unknownView(name, home, env) ??
    new PincerError('SERVER_UNKNOWN', `"${name}" is configured, but the running hub does not offer it.`, {
      hint: 'It may be switched off, or not loaded yet: pincer reload. Apps need a hub that was started with `pincer up`.',
    })
  );
}

/** Like `absentView`, but uses the hub's error for a misconfigured server. */
export async function explainAbsent(name: string, home: string, env: Environment): Promise<PincerError> {
  const hub = findHubClient({ home });
  const { servers } = hub === undefined ? { servers: [] } : await ask(hub, 'GET status');
  const found = servers.find((server) => server.name === name && server.isMisconfigured === true);
  if (found?.error === undefined || found.state === 'disabled') return absentView(name, home, env);
  const { message, hint } = found.error;
  return new PincerError('SERVER_UNREACHABLE', message, { hint, data: { outcome: 'not_executed' } });
}

/** Checks the configuration, independent of a running hub. */
function unknownView(name: string, home: string, env: Environment): PincerError | undefined {
  const config = readConfigFile(configPath(home));
  if (name === DEVICE_SOURCE) {
    const problem = notOfferedHere(home, env);
    return problem && notOfferedError(problem);
  }
  if (name === AGENT_SOURCE) return isAgentOffered(config, home, env) ? undefined : agentNotOffered();
  const servers = Object.keys({ ...serversIn(config), ...readOpenClawFile(openClawFilePath(env))?.servers });
  return [...servers, ...appNames(config, env)].includes(name) ? undefined : unknownServer(name, servers);
}

/** Names of all views that are not servers. */
export const ownViews = (home: string, env: Environment): string[] => {
  const config = readConfigFile(configPath(home));
  return [
    ...(notOfferedHere(home, env) === undefined ? [DEVICE_SOURCE] : []),
    ...(isAgentOffered(config, home, env) ? [AGENT_SOURCE] : []),
    ...appNames(config, env),
  ];
};

function appNames(config: unknown, env: Environment): string[] {
  if (valueAt(config, ['proxy', 'enabled']) === false) return [];
  const isShared = Boolean(env[APP_TOKEN.variable]) || Boolean(valueAt(config, ['proxy', 'appToken']));
  return [...appsIn(config).map(({ name }) => String(name)), ...(isShared ? [SHARED_APP] : [])];
}

function isAgentOffered(config: unknown, home: string, env: Environment): boolean {
  const enabled = valueAt(config, ['agent', 'enabled']);
  const gatewayUrl = valueAt(config, ['agent', 'gatewayUrl']);
  const settings = {
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
    gatewayUrl: typeof gatewayUrl === 'string' ? gatewayUrl : undefined,
  };
  return hasAgent(settings, env, { home, openClaw: () => readOpenClawSettings(env) });
}

export const agentNotOffered = (): PincerError =>
  new PincerError('SERVER_UNKNOWN', "OpenClaw's agent is not offered.", {
    hint: 'See why: pincer doctor',
    data: { outcome: 'not_executed' },
  });
