import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part } from '../host-config.ts';
import { entryFor, ownEntriesIn, type Owner, type Wanted } from './entry.ts';
import { applyPlan, chooseKeys, planEntries } from './plan.ts';

const OURS: Owner = { home: '/home/a/.openclaw/mcp', isGone: (home) => home.startsWith('/gone') };

const wanted = (server: string, more: Partial<Wanted> = {}): Wanted => ({
  server,
  prefix: server,
  url: `http://127.0.0.1:8765/mcp/${server}`,
  requestTimeoutMs: 100,
  token: `token-${server}`,
  ...more,
});

const marked = (server: string, home: string): Part => entryFor(wanted(server), { home, made: 'nothing' });

/** The configuration after the plan was written. */
function written(config: Part, servers: readonly Wanted[], owner: Owner = OURS): Part {
  const draft = structuredClone(config) as Record<string, unknown>;
  const plan = planEntries(draft, servers, owner);
  if (plan.changes.size > 0) applyPlan(draft, plan);
  return draft;
}

const serversIn = (config: Part): Part => ((config['mcp'] as Part | undefined)?.['servers'] ?? {}) as Part;

describe('entry', () => {
  it('has the URL of the server at the hub, its timeout, its credential and our mark', () => {
    expect(written({ mcp: { servers: {} } }, [wanted('github')])).toEqual({
      mcp: {
        servers: {
          github: {
            url: 'http://127.0.0.1:8765/mcp/github',
            transport: 'streamable-http',
            requestTimeoutMs: 100,
            headers: {
              Authorization: 'Bearer token-github',
              'x-pincer-managed': '%2Fhome%2Fa%2F.openclaw%2Fmcp',
            },
          },
        },
      },
    });
  });

  it("keeps a person's additions, even under another key", () => {
    const config = written({}, [wanted('github')]);
    const added = {
      enabled: false,
      toolFilter: { exclude: ['delete_*'] },
      headers: { ...(serversIn(config)['github'] as { headers: object }).headers, 'x-mine': '1' },
    };
    const edited = { mcp: { servers: { github: { ...(serversIn(config)['github'] as object), ...added } } } };
    expect(planEntries(edited, [wanted('github')], OURS).changes.size).toBe(0);
    const moved = written(edited, [wanted('github', { prefix: 'gh', token: 'new' })]);
    expect(serversIn(moved)).toMatchObject({
      gh: {
        enabled: false,
        toolFilter: { exclude: ['delete_*'] },
        headers: { Authorization: 'Bearer new', 'x-mine': '1' },
      },
    });
    expect(Object.keys(serversIn(moved))).toEqual(['gh']);
  });

  it('is read back as it was written', () => {
    expect(ownEntriesIn(written({}, [wanted('github', { prefix: 'gh' })]), OURS)).toMatchObject([
      {
        key: 'gh',
        server: 'github',
        url: 'http://127.0.0.1:8765/mcp/github',
        token: 'token-github',
        made: 'mcp',
      },
    ]);
  });

  it('is repaired after it was overwritten', () => {
    const config = written({ mcp: { servers: {} } }, [wanted('github')]);
    const github = serversIn(config)['github'] as object;
    const broken = { mcp: { servers: { github: { ...github, url: 'nowhere', requestTimeoutMs: 'long' } } } };
    expect(written(broken, [wanted('github')])).toEqual(config);
  });
});

describe('entry of a person', () => {
  it('keeps its key, and our tools get another name', () => {
    const theirs = { url: 'https://example.com/mcp' };
    const config = { mcp: { servers: { GitHub: theirs } } };
    expect(planEntries(config, [wanted('github')], OURS)).toMatchObject({
      clashes: [{ server: 'github', taken: 'github', key: 'github-pincer' }],
    });
    const after = written(config, [wanted('github')]);
    expect(Object.keys(serversIn(after))).toEqual(['GitHub', 'github-pincer']);
    expect(written(after, [wanted('github')])).toEqual(after);
  });

  it('frees the key when it is removed', () => {
    const after = written({ mcp: { servers: { github: {} } } }, [wanted('github')]);
    const { github: _, ...rest } = serversIn(after);
    expect(Object.keys(serversIn(written({ mcp: { servers: rest } }, [wanted('github')])))).toEqual([
      'github',
    ]);
  });

  it('may also be one for the hub of another state folder', () => {
    const config = { mcp: { servers: { github: marked('github', '/home/b/.openclaw/mcp') } } };
    const after = written(config, [wanted('github')]);
    expect(serversIn(after)['github']).toEqual(config.mcp.servers.github);
    expect(written(after, [])).toEqual(config);
  });

  it('becomes ours if that state folder no longer exists', () => {
    const config = { mcp: { servers: { github: marked('github', '/gone/mcp') } } };
    expect(written(config, [wanted('github')])).toEqual({
      mcp: { servers: { github: marked('github', OURS.home) } },
    });
  });
});

describe('parts that our entries created', () => {
  it.each([
    ['no mcp', {}],
    ['no mcp.servers', { mcp: { sessionIdleTtlMs: 1 } }],
    ['an empty mcp', { mcp: {} }],
    ['an empty mcp.servers', { mcp: { servers: {} } }],
    ['an entry', { mcp: { servers: { mine: { command: 'x' } } } }],
  ])('are removed with them: %s', (_name, before) => {
    const first = written(before, [wanted('a'), wanted('b')]);
    const second = written(first, [wanted('b', { token: 'new' }), wanted('c')]);
    expect(second).not.toEqual(before);
    expect(written(second, [])).toEqual(before);
  });

  it('stay if a person uses them', () => {
    const config = written({}, [wanted('a')]);
    const used = { mcp: { servers: { ...serversIn(config), mine: { command: 'x' } } } };
    expect(written(used, [])).toEqual({ mcp: { servers: { mine: { command: 'x' } } } });
  });
});

describe('any file', () => {
  const names = ['a', 'A', 'a-pincer', 'b', 'constructor', '9'];
  const name = fc.constantFrom(...names);
  const theirs = fc.dictionary(
    name,
    fc.oneof(
      fc.constant({ command: 'x' }),
      fc.constant({ url: 'http://127.0.0.1:8765/mcp/a', headers: { Authorization: 'Bearer t' } }),
      fc.constant(marked('a', '/home/b/.openclaw/mcp')),
    ),
  );
  const before = fc.oneof(
    fc.constant({}),
    fc.constant({ mcp: {} }),
    theirs.map((servers) => ({ mcp: { servers } })),
  );
  const servers = fc.uniqueArray(
    fc.record({ server: name, prefix: fc.constantFrom('', ...names), token: fc.constantFrom('s', 't') }),
    { selector: ({ server }) => server },
  );
  const all = (list: readonly Pick<Wanted, 'server' | 'prefix' | 'token'>[]): Wanted[] =>
    list.map(({ server, ...more }) => wanted(server, more));

  it('keeps the entries of persons, and gets one entry per server', () => {
    fc.assert(
      fc.property(before, servers, servers, (config, first, second) => {
        const after = written(written(config, all(first)), all(second));
        expect(serversIn(after)).toMatchObject(serversIn(config));
        const own = ownEntriesIn(after, OURS);
        expect(own.map(({ server }) => server).toSorted()).toEqual(
          second.map(({ server }) => server).toSorted(),
        );
        const keys = Object.keys(serversIn(after));
        expect(keys).toHaveLength(Object.keys(serversIn(config)).length + own.length);
        const lower = own.map(({ key }) => key.toLowerCase());
        for (const key of Object.keys(serversIn(config))) expect(lower).not.toContain(key.toLowerCase());
        expect(new Set(lower).size).toBe(own.length);
        for (const { key } of own) expect(key).toMatch(/^[A-Za-z](?!.*__)[A-Za-z0-9_-]{0,29}$/);
      }),
    );
  });

  it('is written once, and has no trace after all entries are removed', () => {
    fc.assert(
      fc.property(before, servers, (config, list) => {
        const after = written(config, all(list));
        expect(planEntries(after, all(list), OURS).changes.size).toBe(0);
        expect(written(after, [])).toEqual(config);
      }),
    );
  });

  it('is repaired after a crash in any part of a write', () => {
    fc.assert(
      fc.property(before, servers, servers, fc.nat(), (config, first, second, cut) => {
        const between = structuredClone(written(config, all(first))) as Record<string, unknown>;
        const plan = planEntries(between, all(second), OURS);
        const part = [...plan.changes].slice(0, cut % (plan.changes.size + 1));
        if (part.length > 0) applyPlan(between, { ...plan, changes: new Map(part) });
        const after = written(between, all(second));
        const own = ownEntriesIn(after, OURS).map(({ server, token }) => `${server} ${token}`);
        expect(own.toSorted()).toEqual(second.map(({ server, token }) => `${server} ${token}`).toSorted());
        expect(written(after, [])).toEqual(config);
      }),
    );
  });
});

const keysOf = (servers: readonly [string, string][], ofOthers: readonly string[] = []): string[] => [
  ...chooseKeys(
    servers.map(([server, prefix]) => ({ server, prefix })),
    ofOthers,
  ).values(),
];

describe('key of a server', () => {
  it('is its prefix, or its name without a prefix', () => {
    expect(
      keysOf([
        ['github', 'gh'],
        ['files', ''],
      ]),
    ).toEqual(['gh', 'files']);
  });

  it('begins with a letter, because the host would add one', () => {
    expect(keysOf([['7zip', '7zip']])).toEqual(['mcp-7zip']);
  });

  it('does not end with a part of the separator', () => {
    const long = `7${'a'.repeat(24)}_bcde`;
    expect(keysOf([[long, long]])).toEqual([`mcp-7${'a'.repeat(24)}`]);
  });

  it('differs if the host would rewrite another key to the same', () => {
    const long = 'a-name-of-thirty-characters-xx';
    const servers: [string, string][] = [
      ['my-files', 'my-files'],
      ['mcp-7', 'mcp-7'],
      [long, long],
    ];
    expect(keysOf(servers, ['my.files', '7', `${long}-and-more`])).toEqual([
      'my-files-pincer',
      'mcp-7-pincer',
      'a-name-of-thirty-charac-pincer',
    ]);
  });

  it('differs from other keys ignoring case, and has at most 30 characters', () => {
    const long = 'a-name-of-thirty-characters-xx';
    expect(
      keysOf(
        [
          ['Files', 'Files'],
          [long, long],
        ],
        ['files', long],
      ),
    ).toEqual(['Files-pincer', 'a-name-of-thirty-charac-pincer']);
  });

  it('has a stable hash if that is taken as well', () => {
    const [key] = keysOf([['files', 'files']], ['files', 'files-pincer']);
    expect(key).toMatch(/^files-[0-9a-f]{8}$/);
    expect(keysOf([['files', 'files']], ['FILES-PINCER', 'Files', 'other'])).toEqual([key]);
    expect(keysOf([['files', 'files']], ['files', 'files-pincer', key!])).not.toEqual([key]);
  });

  it('differs from the key of every other server, ignoring case', () => {
    expect(
      keysOf([
        ['a', 'x'],
        ['b', 'X'],
      ]),
    ).toEqual(['x', 'X-pincer']);
  });
});
