/** `pincer doctor`: what is wrong here, and what to do. Connects to no server. */
import { docsLink } from '../../core/errors.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { checkConfig } from '../doctor/check-config.ts';
import { checkConfigMode, checkFolder, checkTokens } from '../doctor/check-folder.ts';
import { checkHub, checkServers } from '../doctor/check-hub.ts';
import { checkNode } from '../doctor/check-node.ts';
import { checkPort } from '../doctor/check-port.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT, EXIT_TYPES, type ExitCode } from '../exit-codes.ts';
import { findHubClient } from '../hub-client.ts';
import { print, printJson } from '../output.ts';
import { renderFindings } from '../render/findings.ts';
import { styleFor } from '../style.ts';

export async function doctor(context: Context): Promise<ExitCode> {
  const { home, json } = context;
  const hub = findHubClient(context);
  const config = checkConfig(configPath(home), hub !== undefined);
  const { findings: ofHub, status } = await checkHub(hub);
  const findings: Finding[] = [
    checkNode(process.versions.node),
    ...checkFolder(home),
    ...checkConfigMode(home),
    ...config.findings,
    ...checkTokens(home),
    ...ofHub,
    ...checkServers(config.outline, status),
    ...(hub === undefined ? [await checkPort(config.port)] : []),
  ];
  if (json) printJson(document(findings));
  else print(renderFindings(findings, home, styleFor(process.stdout)));
  return findings.some(({ severity }) => severity === 'error') ? EXIT.failure : EXIT.ok;
}

function document(findings: readonly Finding[]): object {
  const worst = findings.find(({ severity }) => severity === 'error');
  if (worst === undefined) return { ok: true, findings };
  const code = worst.code ?? 'INTERNAL';
  const { message, fixHint = null } = worst;
  const error = { type: EXIT_TYPES[EXIT.failure], code, message, hint: fixHint, docs: docsLink(code) };
  return { ok: false, error, findings };
}
