import { visible } from '../../core/visible.ts';
import type { Probed } from '../../client/probe.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { renderHint } from './hint.ts';
import { countOffer, selfName } from './offer.ts';
import { plural } from './plural.ts';
import { renderSpan } from './time.ts';

/** A line per server, what is wrong below it, and a sum at the end. */
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
