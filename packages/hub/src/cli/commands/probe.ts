/** `pincer probe`: connects, and asks for the lists anew. */
import type { Context } from '../context.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { ask, openHub } from '../../client/hub-client.ts';
import { probeAll, type Probed } from '../../client/probe.ts';
import type { HubStatus } from '../../client/status.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderProbes } from '../render/probes.ts';
import { renderServerList } from '../render/server-list.ts';
import { assertUsable } from '../servers/unknown-server.ts';
import { styleFor } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';

export async function probe(name: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const { servers } = await ask<HubStatus>(hub, 'GET status');
  if (name !== undefined) assertUsable(name, servers);
  const switchedOn = servers.filter(({ state }) => state !== 'disabled').map((server) => server.name);
  const wanted = name === undefined ? switchedOn : [name];
  const text = name === undefined ? 'Connecting to the servers' : `Connecting to "${name}"`;
  const probed = await showWaiting(text, probeAll(hub, wanted), context.json);
  const style = styleFor(process.stdout);
  if (context.json) printJson(document(probed));
  else print(wanted.length === 0 ? renderServerList([], style) : renderProbes(probed, style));
  return exitOf(probed);
}

const exitOf = (probed: readonly Probed[]): ExitCode => {
  const failed = probed.find(({ failure }) => failure !== undefined);
  return failed === undefined ? EXIT.ok : exitCodeOf(failed.failure!.code);
};

function document(probed: readonly Probed[]): object {
  const servers = probed.map(({ name, report, failure }) =>
    failure === undefined ? { ok: true, ...report } : { ok: false, name, error: describeFailure(failure) },
  );
  const failed = probed.find(({ failure }) => failure !== undefined);
  return failed === undefined
    ? { ok: true, servers }
    : { ok: false, error: describeFailure(failed.failure!), servers };
}
