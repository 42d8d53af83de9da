/** `pincer doctor`: what is wrong here, and what to do. Connects to servers only with `--probe`. */
import { docsLink } from '../../core/errors.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { checkConfig } from '../doctor/check-config.ts';
import { checkConfigMode, checkFolder, checkTokens } from '../doctor/check-folder.ts';
import { checkDevice } from '../doctor/check-device.ts';
import { checkHub, checkServers } from '../doctor/check-hub.ts';
import { checkLaunch } from '../doctor/check-launch.ts';
import { checkNodeVersion } from '../doctor/check-node-version.ts';
import { checkOffers } from '../doctor/check-offers.ts';
import { checkPort } from '../doctor/check-port.ts';
import { checkProxy } from '../doctor/check-proxy.ts';
import { checkSignIns } from '../doctor/check-sign-ins.ts';
import { checkVault } from '../doctor/check-vault.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT, EXIT_TYPES, type ExitCode } from '../exit-codes.ts';
import { findHubClient, openHub, type HubClient } from '../../client/hub-client.ts';
import type { HubStatus } from '../../client/status.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderFindings } from '../doctor/render.ts';
import { styleFor } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';

export interface DoctorFlags {
  readonly probe: boolean;
}

export async function doctor(context: Context, { probe }: DoctorFlags): Promise<ExitCode> {
  const { home, json } = context;
  const running = findHubClient(context);
  const config = checkConfig(configPath(home), {
    isHubRunning: running !== undefined,
    secret: (name) => openVault(home, process.env).get(name),
  });
  const isUsable = config.findings.every(({ severity }) => severity !== 'error');
  // A hub cannot be started for this with a configuration that it would not take.
  const hub = running ?? (probe && isUsable ? await openHub(context) : undefined);
  const { findings: ofHub, status } = await checkHub(hub);
  const findings: Finding[] = [
    checkNodeVersion(process.versions.node),
    ...checkFolder(home),
    ...checkConfigMode(home),
    ...config.findings,
    ...checkVault(home),
    ...(await checkSignIns(home)),
    ...checkTokens(home),
    ...ofHub,
    ...(probe && hub !== undefined && status !== undefined
      ? await showWaiting('Connecting to the servers', probed(hub, status), json)
      : checkServers(config.outline, status)),
    ...config.outline.flatMap(checkLaunch),
    ...(await checkOffers(hub, status)),
    ...(config.agent === undefined
      ? []
      : await checkAgent({ home, env: process.env, settings: config.agent, probe })),
    ...(config.config === undefined
      ? []
      : await checkDevice({ home, env: process.env, config: config.config, hub })),
    ...(hub === undefined ? [await checkPort(config.port)] : []),
    ...(config.proxy === undefined
      ? []
      : await checkProxy({
          config: config.proxy,
          env: process.env,
          folder: process.cwd(),
          localPort: config.port,
          running: status?.proxy,
        })),
  ];
  if (json) printJson(document(findings));
  else print(renderFindings(findings, home, styleFor(process.stdout)));
  return findings.some(({ severity }) => severity === 'error') ? EXIT.failure : EXIT.ok;
}

async function probed(hub: HubClient, status: HubStatus): Promise<Finding[]> {
  const { probeServers } = await import('../doctor/probe-servers.ts');
  return probeServers(hub, status);
}

function document(findings: readonly Finding[]): object {
  const worst = findings.find(({ severity }) => severity === 'error');
  if (worst === undefined) return { ok: true, findings };
  const code = worst.code ?? 'INTERNAL';
  const { message, fixHint = null } = worst;
  const error = { type: EXIT_TYPES[EXIT.failure], code, message, hint: fixHint, docs: docsLink(code) };
  return { ok: false, error, findings };
}
