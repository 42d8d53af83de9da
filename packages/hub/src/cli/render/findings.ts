import type { Finding } from '../doctor/finding.ts';
import type { Style } from '../style.ts';
import { plural } from './columns.ts';
import { visible } from './visible.ts';

/** A line per finding, what to do below it, and a sum at the end. */
export function renderFindings(findings: readonly Finding[], style: Style): string {
  const lines = findings.flatMap(({ severity, path, message, fixHint }) => {
    const symbol = { ok: style.green('✓'), warn: style.yellow('!'), error: style.red('✗') }[severity];
    const line = `${symbol} ${visible(message)} ${style.dim(visible(path))}`;
    return fixHint === undefined ? [line] : [line, `  ${style.bold('hint:')} ${visible(fixHint)}`];
  });
  return `${[...lines, '', renderSum(findings)].join('\n')}\n`;
}

function renderSum(findings: readonly Finding[]): string {
  const count = (wanted: Finding['severity']): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const errors = count('error');
  const warnings = count('warn');
  if (errors + warnings === 0) return 'All is well.';
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}.`;
}
