import { describe, expect, it } from 'vitest';
import { wordsIn, wordsOfQuery } from './tool-search.ts';

describe('words', () => {
  it.each<[string, string[]]>([
    ['create_issue', ['create', 'issue']],
    ['list-pull.requests', ['list', 'pull', 'requests']],
    ['createIssue', ['createissue', 'create', 'issue']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['GitHub API v2', ['github', 'git', 'hub', 'api', 'v2']],
    ['Größe, naïve!', ['große', 'naive']],
    ['ﬁle', ['file']],
    ['', []],
    ['*', []],
  ])('in %j are %j', (text, words) => {
    expect(wordsIn(text)).toEqual(words);
  });

  it('are pairs of characters in scripts without spaces', () => {
    expect(wordsIn('文件搜索')).toEqual(['文件', '件搜', '搜索']);
    expect(wordsIn('图')).toEqual(['图']);
    expect(wordsIn('검색')).toEqual(['검색']);
  });
});

describe('a query', () => {
  it('has each word once, without stop words', () => {
    expect(wordsOfQuery('how do I list the issues of a repo? The issues!')).toEqual([
      'list',
      'issues',
      'repo',
    ]);
  });

  it('of only stop words keeps them', () => {
    expect(wordsOfQuery('what is this')).toEqual(['what', 'is', 'this']);
  });
});
