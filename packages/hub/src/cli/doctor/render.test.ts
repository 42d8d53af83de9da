import { expect, it } from 'vitest';
import { PLAIN } from '../terminal/style.ts';
import { error, ok } from './finding.ts';
import { renderFindings } from '../commands/doctor.ts';

it('shows what takes several lines on several lines, and hides nothing', () => {
  const findings = [
    ok('/h/hub', 'It runs.'),
    error('CONFIG_INVALID', '/h/config.json', 'Two things:\nurl\u001B[2J\nname', 'Do this:\n  that'),
  ];
  expect(renderFindings(findings, '/h', PLAIN).split('\n')).toEqual([
    '✓  hub          It runs.',
    '✗  config.json  Two things:',
    String.raw`   url\u001b[2J`,
    '   name',
    '   hint: Do this:',
    '     that',
    '',
    '1 error, 0 warnings.',
    '',
  ]);
});
