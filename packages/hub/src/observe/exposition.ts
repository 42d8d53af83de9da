/** Prometheus' text format 0.0.4. */
import type { Family, HistogramPoint, Labels } from './family.ts';

export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escapeLabel = (value: string): string =>
  value.replaceAll(/[\\"\n]/g, (found) => ESCAPES[found] ?? found);

const escapeHelp = (text: string): string => text.replaceAll(/[\\\n]/g, (found) => ESCAPES[found] ?? found);

export const renderFamily = (family: Family): string =>
  `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n` +
  (family.type === 'histogram'
    ? family.points.map((point) => histogramSamples(family.name, point))
    : family.points.map(({ labels, value }) => sample(family.name, pairs(labels), value))
  ).join('');

function histogramSamples(name: string, { labels, bounds, counts, sum }: HistogramPoint): string {
  const own = pairs(labels);
  const comma = own === '' ? '' : ',';
  let text = '';
  let count = 0;
  for (const [index, calls] of counts.entries()) {
    count += calls;
    const bound = numberText(bounds[index] ?? Infinity);
    text += sample(`${name}_bucket`, `${own}${comma}le="${bound}"`, count);
  }
  return text + sample(`${name}_sum`, own, sum) + sample(`${name}_count`, own, count);
}

/** `a="1",b="2"`, without the braces. */
const pairs = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');

const sample = (name: string, own: string, value: number): string =>
  `${name}${own === '' ? '' : `{${own}}`} ${numberText(value)}\n`;

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
