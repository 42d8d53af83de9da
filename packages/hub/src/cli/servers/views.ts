/** What can be used alone besides a server, at `/mcp/NAME`: this machine, OpenClaw's agent, an app. */
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

/** Throws with what was probably meant, or with what switches it on. */
export function assertView(name: string, home: string, env: Environment): void {
  const problem = unknownView(name, home, env);
  if (problem !== undefined) throw problem;
}

/** Why the hub that runs has no such view. */
export function absentView(name: string, home: string, env: Environment): PincerError {
  if (name === DEVICE_SOURCE) return notOfferedError(notOfferedByHub(home, env));
  return (
    unknownView(name, home, env) ??
    new PincerError('SERVER_UNKNOWN', `The hub that runs has no "${name}", which is configured.`, {
      hint: 'It is switched off, or the hub has not taken it: pincer reload. Apps are there while `pincer up` runs.',
    })
  );
}

/** The same, with what the hub has to say of a server that it cannot use. */
export async function explainAbsent(name: string, home: string, env: Environment): Promise<PincerError> {
  const hub = findHubClient({ home });
  const { servers } = hub === undefined ? { servers: [] } : await ask(hub, 'GET status');
  const found = servers.find((server) => server.name === name && server.isMisconfigured === true);
  if (found?.error === undefined || found.state === 'disabled') return absentView(name, home, env);
  const { message, hint } = found.error;
  return new PincerError('SERVER_UNREACHABLE', message, { hint, data: { outcome: 'not_executed' } });
}

/** As it is written, whether a hub runs or not. */
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

/** Those that are no servers. */
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
  new PincerError('SERVER_UNKNOWN', "OpenClaw's agent is not offered here.", {
    hint: '`pincer doctor` says why.',
    data: { outcome: 'not_executed' },
  });
