import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileUriTemplate } from './uri-template.ts';

const isMatch = (template: string, uri: string): boolean | undefined => compileUriTemplate(template)?.(uri);

describe('compileUriTemplate', () => {
  it.each([
    ['note://all', 'note://all', true],
    ['note://all', 'note://all2', false],
    ['note://{id}', 'note://7', true],
    ['note://{id}', 'note://', false],
    ['note://{id}', 'note://a/b', false],
    ['note://{id}/body', 'note://7/body', true],
    ['note://{id}/body', 'note://7/', false],
    ['note://{id}/body', 'memo://7/body', false],
    ['{scheme}://{id}', 'a://b', true],
    ['{scheme}:{id}', 'a:b', true],
    ['{a}-{b}-{c}', '1-2-3', true],
    ['{a}-{b}-{c}', '1-2', false],
    ['{a}{b}', 'x', false],
    ['{a}{b}', 'xy', true],
    ['weather://{city,day}', 'weather://Ulm,Monday', true],
    ['file:///{+path}', 'file:///a/b/c.txt', true],
    ['file:///{+path}', 'file:///', false],
    ['file:///{+path}.txt', 'file:///a.txt/b.txt', true],
    ['file:///{+path}.txt', 'file:///a.txt/b', false],
    ['repo://{owner}/{name}/{+path}', 'repo://o/n/a/b', true],
    ['repo://{owner}/{name}/{+path}', 'repo://o/n', false],
    ['files:{/name}', 'files:/a', true],
    ['files:{/name}', 'files:', true],
    ['files:{/name}', 'files:/a/b', false],
    ['files:{/a,b}', 'files:/a/b', true],
    ['files:{/path*}', 'files:/a/b/c', true],
    ['files:{/path*}/end', 'files:/a/b/end', true],
    ['page{#part}', 'page#top/1', true],
    ['page{#part}', 'page', true],
    ['page{#part}', 'pagetop', false],
    ['file{.ext}', 'file.tar.gz', true],
    ['file{.ext}', 'file', true],
    ['file{.ext}', 'file.a/b', false],
    ['map{;x,y}', 'map;x=1;y=2', true],
    ['map{;x,y}', 'map/1', false],
    ['find{?q,page}', 'find?q=a/b&page=2', true],
    ['find{?q,page}', 'find', true],
    ['find{?q,page}', 'find?q=1#x', false],
    ['find?fixed=1{&q}', 'find?fixed=1&q=2', true],
    ['find?fixed=1{&q}', 'find?fixed=1', true],
    ['x://{a:3}', 'x://abc', true],
    ['x://{größe}', 'x://ö', true],
    ['x://{file-name}', 'x://a', true],
    ['', '', true],
    ['', 'x', false],
    ['a.b', 'axb', false],
  ])('%s and %s: %s', (template, uri, expected) => {
    expect(isMatch(template, uri)).toBe(expected);
  });

  it.each(['{', '}', 'a{b', 'a}b', '{}', '{+}', '{a{b}}', '{a}}'])('rejects %s', (template) => {
    expect(compileUriTemplate(template)).toBeUndefined();
  });

  it('matches every simple expansion', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '-', '.', '%20', ':'), minLength: 1, maxLength: 5 });
    const part = fc.oneof(
      word.map((literal) => ({ template: literal, uri: literal })),
      word.map((value) => ({ template: '{v}', uri: value })),
      fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => ({ template: '{+v}', uri: all.join('/') })),
      word.map((value) => ({ template: '{/v}', uri: `/${value}` })),
      word.map((value) => ({ template: '{?v}', uri: `?v=${value}` })),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const template = parts.map((one) => one.template).join('');
        return isMatch(template, parts.map((one) => one.uri).join('')) === true;
      }),
    );
  });

  it('stays fast for a hostile template', () => {
    const started = performance.now();
    for (const hole of ['{x}', '{+x}', '{x}{+y}'])
      expect(isMatch(`a:${`${hole}a`.repeat(20)}b{+z}!`, `a:${'a'.repeat(4_000)}!`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('ignores texts longer than any URI', () => {
    expect(isMatch('a:{+x}', `a:${'x'.repeat(10_000)}`)).toBe(false);
    expect(compileUriTemplate('{x}'.repeat(1_000))).toBeUndefined();
  });
});
