import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolText } from './tool-search-text.ts';
import { createToolSearch, readToolWords, type ToolSearch } from './tool-search.ts';

const tool = (exposed: string, description = '', more: Partial<ToolText> = {}): ToolText => {
  const [server, name] = exposed.split('__') as [string, string];
  return { exposed, server, name, title: '', description, parameters: [], explanations: [], ...more };
};

const TOOLS = [
  tool('github__create_issue', 'Creates an issue in a repository.', {
    parameters: ['owner', 'repo', 'title'],
  }),
  tool('github__list_issues', 'Lists the issues of a repository.', {
    parameters: ['owner', 'repo', 'state'],
  }),
  tool('github__merge_pull_request', 'Merges a pull request.', { parameters: ['owner', 'repo', 'number'] }),
  tool('jira__createIssue', 'Files a ticket.', { explanations: ['The project that the ticket belongs to.'] }),
  tool('files__read_file', 'Reads the contents of a file. Use it to look at a document.'),
  tool('files__write_file', 'Writes a file, and replaces what was there.'),
  tool('mail__send', 'Sends a message to a person.', {
    title: 'E-mail',
    parameters: ['recipient', 'subject'],
  }),
  tool('web__suche', 'Durchsucht das Netz nach Größe und Preis.'),
  tool('zh__search', '搜索文件内容'),
];

const searchIn = (tools: readonly ToolText[]): ToolSearch => createToolSearch(tools.map(readToolWords));

const placesOf = (tools: readonly ToolText[], query: string): number[] =>
  searchIn(tools)
    .find(query)
    .map(({ place }) => place);

const found = (query: string): string[] =>
  searchIn(TOOLS)
    .find(query)
    .map(({ place }) => TOOLS[place]!.exposed);

describe('a search', () => {
  it.each<[string, string]>([
    ['create an issue', 'github__create_issue'],
    ['open issues in a repo', 'github__list_issues'],
    ['merge pull request', 'github__merge_pull_request'],
    ['look at a document', 'files__read_file'],
    ['ticket', 'jira__createIssue'],
    ['project', 'jira__createIssue'],
    ['recipient', 'mail__send'],
    ['email E-mail', 'mail__send'],
    ['grosse größe', 'web__suche'],
    ['搜索', 'zh__search'],
  ])('for %j returns %s first', (query, exposed) => {
    expect(found(query)[0]).toBe(exposed);
  });

  it('by a full name returns that tool first, in any spelling', () => {
    expect(found('files__write_file')[0]).toBe('files__write_file');
    expect(found('FILES.WRITE-FILE')[0]).toBe('files__write_file');
    expect(found('write_file')[0]).toBe('files__write_file');
    expect(found('createIssue')[0]).toBe('jira__createIssue');
  });

  it('ranks an exact name above frequent words', () => {
    const tools = [
      tool('a__send_all', 'send send send send send send'),
      tool('b__send', 'Other words entirely.'),
    ];
    expect(placesOf(tools, 'send')).toEqual([1, 0]);
  });

  it('by a server name returns only its tools', () => {
    expect(found('github').toSorted()).toEqual(
      TOOLS.map(({ exposed }) => exposed)
        .filter((exposed) => exposed.startsWith('github'))
        .toSorted(),
    );
  });

  it('matches the beginning of a word and a longer form', () => {
    expect(found('repos')[0]).toMatch(/^github__/);
    expect(found('merg')).toEqual(['github__merge_pull_request']);
    expect(found('merges')[0]).toBe('github__merge_pull_request');
    expect(found('fileformats')).toEqual([]);
  });

  it('ranks the same word above one that begins like it', () => {
    const tools = [
      tool('a__z', 'Has an issuer.'),
      tool('b__x', 'Has an issue.'),
      tool('c__y', 'No issue at all.'),
    ];
    expect(placesOf(tools, 'issue').at(-1)).toBe(0);
  });

  it('ranks a rare word above a common one', () => {
    const tools = [
      tool('a__x', 'list alpha'),
      tool('b__x', 'list beta'),
      tool('c__x', 'list list list list gamma'),
    ];
    expect(placesOf(tools, 'list beta')[0]).toBe(1);
  });

  it('omits very weak matches', () => {
    const tools = [
      tool('a__x', 'transmogrify a list'),
      ...Array.from({ length: 20 }, (_, index) =>
        tool(`b__y${index}`, 'Some list of things that are long to tell.'),
      ),
    ];
    expect(placesOf(tools, 'transmogrify list')).toEqual([0]);
    expect(placesOf(tools, 'list')).toHaveLength(21);
  });

  it('returns the matched share of the query', () => {
    const [best] = searchIn(TOOLS).find('merge quaternion');
    expect(best).toEqual({ place: 2, share: 0.5 });
    expect(searchIn(TOOLS).find('merge a pull request')[0]).toEqual({ place: 2, share: 1 });
  });

  it('returns nothing without a match or without tools', () => {
    expect(found('quaternion')).toEqual([]);
    expect(found('')).toEqual([]);
    expect(found('*')).toEqual([]);
    expect(placesOf([], 'x')).toEqual([]);
  });

  it('handles a very long query', () => {
    const long = Array.from({ length: 100_000 }, (_, index) => `word${index}`).join(' ');
    expect(found(`merge ${long} quaternion`)[0]).toBe('github__merge_pull_request');
  });

  it('returns each tool at most once, in a stable order', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 12 }), fc.string(), (descriptions, query) => {
        const tools = descriptions.map((text, index) => tool(`s__t${index}`, text));
        const places = placesOf(tools, query);
        expect(new Set(places).size).toBe(places.length);
        expect(placesOf(tools, query)).toEqual(places);
        for (const place of places) expect(tools[place]).toBeDefined();
      }),
    );
  });
});
