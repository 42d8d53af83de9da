/** What an import would do, or has done, for a person. No value of a secret is in it. */
import { shownTarget } from '../../config/shown-target.ts';
import { visible } from '../../core/visible.ts';
import { columns, fit } from '../render/columns.ts';
import { plural } from '../render/plural.ts';
import type { Style } from '../terminal/style.ts';
import type { Origin, Plan, PlannedServer } from './plan.ts';

const MAX_TARGET = 76;

export interface RenderOptions {
  readonly style: Style;
  readonly isWritten: boolean;
  readonly shorten: (path: string) => string;
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
    added.map(({ name, config }) => [
      config.enabled === false ? style.yellow('!') : style.green('+'),
      style.bold(name),
      config.url === undefined ? 'stdio' : 'http',
      visible(fit(shownTarget({ ...config }), MAX_TARGET)),
    ]),
  );
  return [
    ...added.flatMap((server, index) => [
      `  ${table[index]!}`,
      ...remarks(server, options).map((remark) => `     ${visible(remark)}`),
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

function remarks(server: PlannedServer, options: RenderOptions): string[] {
  const { origin, kept, missing, signIn, notes } = server;
  const project = forProject(origin, options);
  return [
    ...(project === '' ? [] : [project.trim()]),
    ...kept.map(({ secret, path }) =>
      options.isWritten
        ? `the secret in ${path} is in the vault, as ${secret}`
        : `the secret in ${path} goes into the vault, as ${secret}`,
    ),
    ...missing.secrets.map(
      ({ secret, where }) => `switched off until it has ${where}: pincer secret set ${secret}`,
    ),
    ...missing.variables.map((name) => `switched off until ${name} is set in the environment of the hub`),
    ...(signIn === 'needed' ? ['needs a sign-in of its own'] : []),
    ...(signIn === 'maybe' ? ['may need a sign-in'] : []),
    ...notes,
  ];
}

/** Where the project is not that of the file. */
function forProject({ file, project }: Origin, { shorten }: RenderOptions): string {
  if (project === undefined || file.startsWith(project)) return '';
  const folder = shorten(project);
  return ` (for ${folder === '.' ? 'this folder' : folder})`;
}
