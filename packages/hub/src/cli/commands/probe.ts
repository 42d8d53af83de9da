/** `pincer probe`: connects to servers and refreshes what they offer. */
import type { Context } from '../context.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { ask, openHub, probeAll, type Probed } from '../../control/client/hub-client.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderServerList, countOffer, selfName } from '../render/server-list.ts';
import { assertUsable } from '../servers/unknown-server.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';
import { visible } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { renderHint } from '../render/text.ts';
import { plural } from '../../lib/text.ts';
import { renderSpan } from '../render/time.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[NAME]',
  description: 'Connects to a server, or to all servers, and refreshes what they offer.',
  arguments: ['[name]'],
  run: ({ words: [name] }, context) => probe(name, context),
});

async function probe(name: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const { servers } = await ask(hub, 'GET status');
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

/** A line per server, its error below it, and a summary at the end. */
export function renderProbes(probed: readonly Probed[], style: Style): string {
  const table = columns(
    probed.map(({ name, report }) =>
      report === undefined
        ? [style.red('✗'), style.bold(name), 'no answer']
        : [
            style.green('✓'),
            style.bold(name),
            renderSpan(report.ms),
            report.era ?? '',
            countOffer(report),
            style.dim(selfName(report)),
          ],
    ),
  );
  const lines = probed.flatMap(({ failure }, index) => {
    if (failure === undefined) return [table[index]!];
    const why = `   ${style.red(visible(failure.message))}`;
    return [table[index]!, why, ...renderHint(failure.hint, style)];
  });
  const failed = probed.filter(({ failure }) => failure !== undefined).length;
  const sum = `${plural(probed.length, 'server')}: ${probed.length - failed} answered, ${failed} did not.`;
  return `${[...lines, ...(probed.length > 1 ? ['', sum] : [])].join('\n')}\n`;
}
