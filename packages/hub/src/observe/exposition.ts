/** The words of Prometheus' text format 0.0.4. */
export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricType = 'counter' | 'gauge' | 'histogram';

export type Labels = Readonly<Record<string, string>>;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escapeLabel = (value: string): string =>
  value.replaceAll(/[\\"\n]/g, (found) => ESCAPES[found] ?? found);

const escapeHelp = (text: string): string => text.replaceAll(/[\\\n]/g, (found) => ESCAPES[found] ?? found);

export const heading = (name: string, type: MetricType, help: string): string =>
  `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;

/** `a="1",b="2"`, without the braces. */
export const labelPairs = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');

export const sample = (name: string, pairs: string, value: number): string =>
  `${name}${pairs === '' ? '' : `{${pairs}}`} ${numberText(value)}\n`;

export function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
