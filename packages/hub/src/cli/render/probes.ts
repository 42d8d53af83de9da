import { visible } from '../../core/visible.ts';
import type { Probed } from '../commands/probe.ts';
import { countOffer, selfName } from '../hub/offer-report.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
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
    const hint = failure.hint === undefined ? [] : [`   ${style.bold('hint:')} ${visible(failure.hint)}`];
    return [table[index]!, `   ${style.red(visible(failure.message))}`, ...hint];
  });
  const failed = probed.filter(({ failure }) => failure !== undefined).length;
  const sum = `${plural(probed.length, 'server')}: ${probed.length - failed} answered, ${failed} did not.`;
  return `${[...lines, ...(probed.length > 1 ? ['', sum] : [])].join('\n')}\n`;
}
