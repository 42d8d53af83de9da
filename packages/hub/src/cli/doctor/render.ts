import { visible, visibleBlock } from '../../core/visible.ts';
import type { Finding } from './finding.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from '../render/columns.ts';
import { plural } from '../render/plural.ts';

/** A line per finding, what to do below it, and a sum at the end. Files of `home` are shown by their name in it. */
export function renderFindings(findings: readonly Finding[], home: string, style: Style): string {
  const shorten = (path: string): string =>
    path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path;
  const symbols = { ok: style.green('✓'), warn: style.yellow('!'), error: style.red('✗') };
  const table = columns(
    findings.map(({ severity, path, message }) => [
      symbols[severity],
      visible(shorten(path)),
      linesOf(message)[0]!,
    ]),
  );
  const lines = findings.flatMap(({ message, fixHint }, index) => {
    const [hint, ...more] = fixHint === undefined ? [] : linesOf(fixHint);
    return [
      table[index]!,
      ...linesOf(message).slice(1).map(indented),
      ...(hint === undefined ? [] : [`   ${style.bold('hint:')} ${hint}`, ...more.map(indented)]),
    ];
  });
  return `${[...lines, '', renderSum(findings)].join('\n')}\n`;
}

/** What is wrong with a configuration may take several. */
const linesOf = (text: string): string[] => visibleBlock(text).split('\n');
const indented = (line: string): string => `   ${line}`;

function renderSum(findings: readonly Finding[]): string {
  const count = (wanted: Finding['severity']): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const errors = count('error');
  const warnings = count('warn');
  if (errors + warnings === 0) return 'All is well.';
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}.`;
}
