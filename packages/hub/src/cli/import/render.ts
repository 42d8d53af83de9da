/** What an import would do, or has done, for a person. No value of a secret is in it. */
import { visible } from '../../core/visible.ts';
import { columns } from '../render/columns.ts';
import { plural } from '../render/plural.ts';
import type { Style } from '../terminal/style.ts';
import type { Plan } from './plan.ts';
import { forProject, remarksOf, shownLaunch, type RemarkOptions } from './remarks.ts';

export interface RenderOptions extends RemarkOptions {
  readonly style: Style;
}

/** File by file, in the order in which they win. */
export function renderPlan(plan: Plan, options: RenderOptions): string {
  const { style, isWritten, shorten } = options;
  const files = new Map<string, string>();
  for (const { client, file } of [
    ...plan.add.map(({ origin }) => origin),
    ...plan.skipped.map(({ origin }) => origin),
    ...plan.problems,
  ])
    files.set(file, client.title);
  const order = [...files.keys()].toSorted((a, b) => plan.order.indexOf(a) - plan.order.indexOf(b));
  const groups = order.flatMap((file) => [
    `${style.bold(files.get(file)!)}  ${style.dim(visible(shorten(file)))}`,
    ...renderFile(plan, file, options),
    '',
  ]);
  if (groups.length === 0) return '';
  const sum = `${plural(plan.add.length, 'server')} ${isWritten ? 'added' : 'to add'}`;
  const off = plan.add.filter(({ config }) => config.enabled === false).length;
  const parts = [
    sum,
    ...(off > 0 ? [`${off} of them switched off`] : []),
    ...(plan.skipped.length > 0 ? [`${plan.skipped.length} left out`] : []),
    ...(plan.problems.length > 0 ? [`${plural(plan.problems.length, 'file')} not read`] : []),
  ];
  return [...groups, `${parts.join(', ')}.`, ''].join('\n');
}

function renderFile({ add, skipped, problems }: Plan, file: string, options: RenderOptions): string[] {
  const { style } = options;
  const added = add.filter(({ origin }) => origin.file === file);
  const table = columns(
    added.map((server) => [
      server.config.enabled === false ? style.yellow('!') : style.green('+'),
      style.bold(server.name),
      server.config.url === undefined ? 'stdio' : 'http',
      visible(shownLaunch(server)),
    ]),
  );
  return [
    ...added.flatMap((server, index) => [
      `  ${table[index]!}`,
      ...remarksOf(server, options).map((remark) => `     ${visible(remark)}`),
    ]),
    ...columns(
      skipped
        .filter(({ origin }) => origin.file === file)
        .map(({ origin, reason }) => [
          `  ${style.dim('-')}`,
          visible(origin.name),
          visible(`left out: ${reason}${forProject(origin, options)}`),
        ]),
    ),
    ...problems
      .filter((problem) => problem.file === file)
      .map(
        ({ error }) => `  ${style.red('✗')}  ${visible(error.message.replace(file, '').replace(/^, /, ''))}`,
      ),
  ];
}
