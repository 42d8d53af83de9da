/** `pincer probe`: connects, and asks for the lists anew. */
import { PincerError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { ask, openHub, type HubClient } from '../hub/client.ts';
import type { HubStatus } from '../hub/status.ts';
import type { ProbeReport } from '../hub/offer-report.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderProbes } from '../render/probes.ts';
import { renderServerList } from '../render/server-list.ts';
import { unknownServer } from '../servers/named-server.ts';
import { styleFor } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';

export interface Probed {
  readonly name: string;
  readonly report?: ProbeReport;
  readonly failure?: PincerError;
}

export async function probe(name: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const { servers } = await ask<HubStatus>(hub, 'GET status');
  const all = servers.map((server) => server.name);
  if (name !== undefined && !all.includes(name)) throw unknownServer(name, all);
  const isOff = (wanted: string): boolean =>
    servers.some((server) => server.name === wanted && server.state === 'disabled');
  if (name !== undefined && isOff(name)) throw switchedOff(name);
  const wanted = name === undefined ? all.filter((each) => !isOff(each)) : [name];
  const text = name === undefined ? 'Connecting to the servers' : `Connecting to "${name}"`;
  const probed = await showWaiting(text, probeAll(hub, wanted), context.json);
  const style = styleFor(process.stdout);
  if (context.json) printJson(document(probed));
  else print(wanted.length === 0 ? renderServerList([], style) : renderProbes(probed, style));
  return exitOf(probed);
}

const switchedOff = (name: string): PincerError =>
  new PincerError('SERVER_DISABLED', `Server "${name}" is switched off.`, {
    hint: `Switch it on: pincer set ${name} enabled true`,
  });

export const probeAll = (hub: HubClient, names: readonly string[]): Promise<Probed[]> =>
  Promise.all(
    names.map(async (name) => {
      try {
        return { name, report: await ask<ProbeReport>(hub, 'POST probe', { body: { name } }) };
      } catch (error) {
        return { name, failure: PincerError.from(error) };
      }
    }),
  );

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
