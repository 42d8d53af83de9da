/** Composes OpenClaw's agent: gateway connections, both backends and the source. */
import type { AgentConfig } from '../config/schema.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, DeviceIdentity, Log } from '../core/ports.ts';
import type { Environment } from '../lib/process.ts';
import { agentGateway, findGateway, type GatewayAddress } from '../openclaw/find.ts';
import type { OperatorLine } from '../openclaw/socket.ts';
import { childEnvironment } from '../owner/child-environment.ts';
import { openIdentity } from '../owner/device-identity.ts';
import { createBackends } from './backend.ts';
import { createGatewayBackend } from './gateway/backend.ts';
import { createGateways, type Gateways } from './gateway/gateway.ts';
import { createLocalBackend, LOCAL_LIMITS } from './local/backend.ts';
import { createTranscriber } from './media/transcribe.ts';
import { createAgentSource, type AgentSource } from './source.ts';

export interface AgentPlace {
  /** The state folder, which has the key of this device. */
  readonly home: string;
  /** The content of openclaw.json; undefined if there is no such file. */
  openClaw(): unknown;
}

export interface AgentPorts extends AgentPlace {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly env: Environment;
  settings(): AgentConfig;
}

interface Agent extends AgentSource {
  readonly line: OperatorLine;
}

export function createAgent(ports: AgentPorts): Agent {
  const { clock, log, limits, env, home, openClaw, settings } = ports;
  const find = (): GatewayAddress | { readonly reason: string } =>
    findGateway({ env, config: openClaw(), gatewayUrl: agentGateway(settings().gatewayUrl) });
  const identity = (): DeviceIdentity => openIdentity(home);
  const gateways = createGateways({ find, identity, awayMs: limits.gatewayAwayMs });
  const backend = createBackends({
    gateways,
    overGateway: createGatewayBackend({
      gateways,
      limits,
      transcriber() {
        const { transcription } = settings();
        if (transcription === undefined) return undefined;
        const own = childEnvironment(transcription.env ?? {}, env, process.platform);
        return createTranscriber(transcription, { env: own, log });
      },
    }),
    local: createLocalBackend({
      env,
      limits,
      log,
      local: { ...LOCAL_LIMITS, timeoutMs: limits.maxCallMs, busyWaitMs: limits.openClawBusyMs },
      get command() {
        return settings().command;
      },
    }),
    log,
    settings,
    find,
  });
  const source = createAgentSource({ backend, limits, clock, settings });
  return Object.assign(source, { line: operatorLine(gateways) });
}

function operatorLine(gateways: Gateways): OperatorLine {
  let version: string | undefined;
  return {
    get isConnected() {
      return gateways.current().orders.isConnected;
    },
    get version() {
      return version;
    },
    async request(method, params) {
      const { orders } = gateways.current();
      using _ = orders.hold();
      const socket = await orders.connect();
      version = socket.hello.server.version;
      return socket.request(method, params);
    },
  };
}

/** Returns `agent.enabled`. If it is not set, returns whether a setting, a variable or openclaw.json names an OpenClaw. */
export const hasAgent = (
  { enabled, gatewayUrl }: Pick<AgentConfig, 'enabled' | 'gatewayUrl'>,
  env: Environment,
  { openClaw }: AgentPlace,
): boolean =>
  enabled ?? (gatewayUrl !== undefined || Boolean(env['OPENCLAW_GATEWAY_URL']) || openClaw() !== undefined);
