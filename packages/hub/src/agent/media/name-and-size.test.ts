import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/kit/any-text.ts';
import { MAX_NAME_CHARS, safeName } from './name-and-size.ts';

describe('safeName', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\a/b\\c.txt', 'c.txt'],
    ['C:c.txt', 'C_c.txt'],
    ['a.txt:stream', 'a.txt_stream'],
    ['in\u202evoice\u0000.exe\n', 'invoice.exe'],
    ['Übersicht 報告.pdf', 'Übersicht 報告.pdf'],
    [' a.txt. . ', 'a.txt'],
    ['.bashrc', '.bashrc'],
  ])('turns %j into %j', (given, name) => expect(safeName(given)).toBe(name));

  it.each(['', '.', '..', '.\u200b.', '/', 'a/', '\\', ' ', '\u202e'])('returns undefined for %j', (given) =>
    expect(safeName(given)).toBeUndefined(),
  );

  it('limits the length and keeps the extension', () => {
    expect(safeName('x'.repeat(MAX_NAME_CHARS))).toHaveLength(MAX_NAME_CHARS);
    expect(safeName('x'.repeat(MAX_NAME_CHARS + 1))).toHaveLength(MAX_NAME_CHARS);
    expect(safeName(`${'x'.repeat(300)}.pdf`)).toBe(`${'x'.repeat(MAX_NAME_CHARS - 4)}.pdf`);
    expect(safeName(`${'😀'.repeat(300)}.md`)).toMatch(/^(?:😀)+\.md$/u);
  });

  it('never returns a path or a hidden character', () => {
    fc.assert(
      fc.property(anyText(300), (given) => {
        const name = safeName(given);
        if (name === undefined) return;
        expect(name).not.toMatch(/[/\\:\p{Cc}\p{Bidi_Control}]/u);
        expect(name).not.toMatch(/^\.{0,2}$/);
        expect(name.length).toBeLessThanOrEqual(MAX_NAME_CHARS);
        expect(name.isWellFormed()).toBe(true);
      }),
    );
  });
});
