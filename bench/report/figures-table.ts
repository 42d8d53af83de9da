/** The figures as measured, case by case. */
import type { HttpCase } from '../subjects/subject.ts';
import { type FigureGroup, FIGURE_GROUPS } from './figures.ts';
import { median } from './medians.ts';
import type { BenchResult } from './result.ts';
import { formatTable } from './table.ts';

export const CASE_TITLES: Record<HttpCase, string> = {
  stdio: 'HTTP in front of a stdio server',
  http: 'HTTP in front of an HTTP server',
};

function groupTable(result: BenchResult, kind: HttpCase, { title, figures }: FigureGroup): string {
  const head = [title, ...figures.map(({ label }) => label)];
  const rows = result.subjects.map(({ name, cannot }) => {
    const summary = result.summary.find((row) => row.case === kind && row.subject === name);
    if (cannot[kind] !== undefined || summary === undefined) return [name, ...figures.map(() => '–')];
    if (summary.problems.length > 0) return [name, ...figures.map(() => 'invalid')];
    return [name, ...figures.map((figure) => figure.write(figure.valueIn(summary)))];
  });
  return formatTable([head, ...rows]);
}

function remarks(result: BenchResult, kind: HttpCase): string[] {
  const cannot = result.subjects
    .filter((subject) => subject.cannot[kind] !== undefined)
    .map((subject) => `– ${subject.name}: ${subject.cannot[kind]}`);
  const problems = result.summary
    .filter((row) => row.case === kind)
    .flatMap((row) => row.problems.map((problem) => `invalid ${row.subject}: ${problem}`));
  return [...cannot, ...problems];
}

function caseTables(result: BenchResult, kind: HttpCase): string {
  const tables = FIGURE_GROUPS.map((group) => groupTable(result, kind, group));
  return [`# ${CASE_TITLES[kind]}`, ...tables, ...remarks(result, kind)].join('\n\n');
}

function cliTable({ cli }: BenchResult): string {
  const rows = cli.map(({ name, ms, failures, serverStarts, temperature }) => {
    if (failures.length > 0) return [name, 'invalid', '', '', failures[0] ?? ''];
    const range = [Math.min(...ms), Math.max(...ms)].map((value) => value.toFixed(0));
    const starts = temperature === 'base' ? '' : `${serverStarts}/${ms.length}`;
    return [name, median(ms).toFixed(0), ...range, starts];
  });
  const head = ['command', 'median ms', 'min', 'max', 'servers started/calls'];
  return ['# One call from the command line', formatTable([head, ...rows])].join('\n\n');
}

export function figuresReport(result: BenchResult): string {
  const kinds = (['stdio', 'http'] as const).filter((kind) =>
    result.summary.some((row) => row.case === kind),
  );
  const parts = kinds.map((kind) => caseTables(result, kind));
  if (result.cli.length > 0) parts.push(cliTable(result));
  return parts.join('\n\n\n');
}
