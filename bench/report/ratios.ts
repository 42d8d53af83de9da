/** Pincer compared with the floor and with the best peer, figure by figure. */
import type { CliResult } from '../cli/rounds.ts';
import type { Subject } from '../subjects/subject.ts';
import { CASE_TITLES } from './figures-table.ts';
import { type Figure, FIGURE_GROUPS } from './figures.ts';
import { type HttpSummary, median } from './medians.ts';
import type { BenchResult } from './result.ts';
import { formatTable } from './table.ts';

interface Candidate {
  name: string;
  value: number;
}

function bestOf(candidates: readonly Candidate[], better: Figure['better']): Candidate | undefined {
  const sorted = candidates
    .filter(({ value }) => Number.isFinite(value))
    .toSorted((a, b) => (better === 'higher' ? b.value - a.value : a.value - b.value));
  return sorted[0];
}

function ratio(value: number, other: number | undefined): string {
  return other === undefined ? '–' : `${(value / other).toFixed(2)}×`;
}

function ratioRow(result: BenchResult, summaries: readonly HttpSummary[], figure: Figure): string[] {
  const ofKind = (kind: Subject['kind']): Candidate[] => {
    const names = result.subjects.filter((subject) => subject.kind === kind).map(({ name }) => name);
    return summaries
      .filter(({ subject, problems }) => names.includes(subject) && problems.length === 0)
      .map((summary) => ({ name: summary.subject, value: figure.valueIn(summary) }));
  };
  const [pincer] = ofKind('pincer');
  const [floor] = ofKind('floor');
  const best = bestOf(ofKind('peer'), figure.better);
  const label = `${figure.label} (${figure.better})`;
  if (pincer === undefined) return [label, '–', '–', '–', ''];
  return [
    label,
    figure.write(pincer.value),
    ratio(pincer.value, floor?.value),
    ratio(pincer.value, best?.value),
    best?.name ?? '',
  ];
}

function cliRow(cli: readonly CliResult[], temperature: CliResult['temperature']): string[] {
  const candidates = cli
    .filter((row) => row.temperature === temperature && row.failures.length === 0)
    .map((row) => ({ name: row.name, subject: row.subject, value: median(row.ms) }));
  const pincer = candidates.find(({ subject }) => subject === 'pincer');
  const base = cli.find((row) => row.temperature === 'base');
  const best = bestOf(
    candidates.filter(({ subject }) => subject !== 'pincer'),
    'lower',
  );
  const label = `${temperature} ms (lower)`;
  if (pincer === undefined || base === undefined) return [label, '–', '–', '–', ''];
  const cells = [
    pincer.value.toFixed(0),
    ratio(pincer.value, median(base.ms)),
    ratio(pincer.value, best?.value),
  ];
  return [label, ...cells, best?.name ?? ''];
}

export function ratiosReport(result: BenchResult): string {
  if (!result.subjects.some(({ kind }) => kind === 'pincer')) return 'No ratios: pincer was not measured.';
  const parts: string[] = [];
  for (const [kind, ofCase] of Map.groupBy(result.summary, (row) => row.case)) {
    const rows = FIGURE_GROUPS.flatMap(({ title, figures }) => [
      [title, 'pincer', ': floor', ': best peer', ''],
      ...figures.map((figure) => ratioRow(result, ofCase, figure)),
      [''],
    ]);
    parts.push(`# Ratios, ${CASE_TITLES[kind]}\n\n${formatTable(rows)}`);
  }
  if (result.cli.length > 0) {
    const head = ['one call', 'pincer', ': node -e 0', ': best peer', ''];
    const rows = [head, cliRow(result.cli, 'cold'), cliRow(result.cli, 'warm')];
    parts.push(`# Ratios, one call from the command line\n\n${formatTable(rows)}`);
  }
  return parts.join('\n');
}
