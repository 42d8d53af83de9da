/** Who would run an order to OpenClaw, and why. */
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
  /** Whether the gateway is asked, too. */
  readonly probe: boolean;
}

export async function checkAgent(check: AgentCheck): Promise<Finding[]> {
  const { home, env, settings } = check;
  const openClaw = (): unknown => readOpenClawSettings(env);
  if (!hasAgent(settings, env, { home, openClaw }))
    return settings.enabled === false
      ? [ok('agent', 'order_openclaw is switched off.')]
      : [ok('agent', 'No OpenClaw is found here, so that order_openclaw is not offered.')];
  const local = localFinding(check);
  if (settings.backend === 'local') return [local];
  const found = findGateway({ env, config: openClaw(), gatewayUrl: agentGateway(settings.gatewayUrl) });
  if (!('url' in found))
    return [
      error(
        'SERVER_UNREACHABLE',
        'agent',
        `There is no gateway of OpenClaw to ask: ${found.reason}`,
        'Set agent.gatewayUrl.',
      ),
    ];
  const standIn = settings.backend === 'auto' && mayRunHere(found) ? local : undefined;
  return [check.probe ? await probeGateway(check, found, standIn) : announced(found, standIn)];
}

function localFinding({ env, settings: { command } }: AgentCheck): Finding {
  const shown = `\`${command.join(' ')} agent --local\``;
  return isProgram(command[0]!, { path: env['PATH'] ?? '', platform: process.platform })
    ? ok('agent', `Orders are run by ${shown}.`)
    : warn(
        'agent',
        `Orders would be run by ${shown}, and there is no such program.`,
        'Start the gateway with `openclaw gateway run`, or set agent.command to what runs OpenClaw.',
      );
}

const addressOf = ({ url, how, credential }: GatewayAddress): string =>
  `${shownAddress(url)} (${how}${credential === undefined ? ', no token' : ''})`;

function announced(found: GatewayAddress, standIn: Finding | undefined): Finding {
  const otherwise = standIn === undefined ? '' : ` Where none runs there: ${lowered(standIn.message)}`;
  return ok('agent', `Orders go to the gateway at ${addressOf(found)}.${otherwise}`);
}

async function probeGateway(
  { home }: AgentCheck,
  found: GatewayAddress,
  standIn: Finding | undefined,
): Promise<Finding> {
  const gateway = createGateway({ find: () => found, identity: () => openIdentity(home) });
  try {
    const { hello } = await gateway.connect();
    return ok(
      'agent',
      `Orders go to the gateway at ${addressOf(found)}: connected, OpenClaw ${hello.server.version}.`,
    );
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    if (code !== 'SERVER_UNREACHABLE' || standIn === undefined) return error(code, 'agent', message, hint);
    return { ...standIn, message: `${message} ${standIn.message}` };
  } finally {
    gateway.close();
  }
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
