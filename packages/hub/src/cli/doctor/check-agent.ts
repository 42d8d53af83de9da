/** Checks which gateway or program would run a call of order_openclaw. */
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import type { AgentConfig } from '../../config/schema.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { hasAgent } from '../../agent/agent.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { mayRunHere } from '../../agent/backend.ts';
import { findGateway, type GatewayAddress, agentGateway } from '../../openclaw/find.ts';
import { createGateway } from '../../agent/gateway/gateway.ts';
import { shownAddress } from '../../openclaw/refusal.ts';
import { isProgram } from '../find-program.ts';
import { error, ok, warn, type Finding } from './finding.ts';

export interface AgentCheck {
  readonly home: string;
  readonly env: Environment;
  readonly settings: AgentConfig;
  /** Whether to connect to the gateway, too. */
  readonly probe: boolean;
}

export async function checkAgent(check: AgentCheck): Promise<Finding[]> {
  const { home, env, settings } = check;
  const openClaw = (): unknown => readOpenClawSettings(env);
  if (!hasAgent(settings, env, { home, openClaw }))
    return settings.enabled === false
      ? [ok('agent', 'order_openclaw is switched off.')]
      : [ok('agent', 'OpenClaw was not found on this machine, so order_openclaw is not offered.')];
  const local = localFinding(check);
  if (settings.backend === 'local') return [local];
  const found = findGateway({ env, config: openClaw(), gatewayUrl: agentGateway(settings.gatewayUrl) });
  if (!('url' in found))
    return [
      error(
        'SERVER_UNREACHABLE',
        'agent',
        `No OpenClaw gateway was found: ${found.reason}`,
        'Set "agent.gatewayUrl" in the configuration.',
      ),
    ];
  const fallback = settings.backend === 'auto' && mayRunHere(found) ? local : undefined;
  return [check.probe ? await probeGateway(check, found, fallback) : announced(found, fallback)];
}

function localFinding({ env, settings: { command } }: AgentCheck): Finding {
  const shown = `\`${command.join(' ')} agent --local\``;
  return isProgram(command[0]!, { path: env['PATH'] ?? '', platform: process.platform })
    ? ok('agent', `order_openclaw runs ${shown}.`)
    : warn(
        'agent',
        `order_openclaw would run ${shown}, but there is no such program.`,
        'Start the gateway: openclaw gateway run. Or set "agent.command" to the command that runs OpenClaw.',
      );
}

const addressOf = ({ url, how, credential }: GatewayAddress): string =>
  `${shownAddress(url)} (${how}${credential === undefined ? ', no token' : ''})`;

function announced(found: GatewayAddress, fallback: Finding | undefined): Finding {
  const otherwise = fallback === undefined ? '' : ` If none is running there: ${lowered(fallback.message)}`;
  return ok('agent', `order_openclaw uses the gateway at ${addressOf(found)}.${otherwise}`);
}

async function probeGateway(
  { home }: AgentCheck,
  found: GatewayAddress,
  fallback: Finding | undefined,
): Promise<Finding> {
  const gateway = createGateway({ find: () => found, identity: () => openIdentity(home) });
  try {
    const { hello } = await gateway.connect();
    return ok(
      'agent',
      `order_openclaw uses the gateway at ${addressOf(found)}: connected, OpenClaw ${hello.server.version}.`,
    );
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    if (code !== 'SERVER_UNREACHABLE' || fallback === undefined) return error(code, 'agent', message, hint);
    return { ...fallback, message: `${message} ${fallback.message}` };
  } finally {
    gateway.close();
  }
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
