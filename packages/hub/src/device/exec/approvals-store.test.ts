import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { sha256 } from '../../lib/digest.ts';
import { writeFileAtomically } from '../../owner/state-folder.ts';
import { exactArgumentsIn } from './allowlist.ts';
import { openApprovals } from './approvals-store.ts';
import { MISSING_HASH } from './policy-file.ts';
import { applyRemoteChange, shownPolicy, type RemoteChange } from './remote-change.ts';

function open(text?: string) {
  const home = temporaryFolder('approvals');
  onTestFinished(() => home[Symbol.dispose]());
  const path = join(home.path, 'exec-approvals.json');
  if (text !== undefined) writeFileSync(path, text);
  const store = openApprovals({ home: home.path, writeFile: writeFileAtomically, now: () => 5 });
  const read = (): string => readFileSync(path, 'utf8');
  const set = (change: RemoteChange) =>
    applyRemoteChange(store, { baseHash: store.snapshot()?.hash, ...change });
  return { home: home.path, path, store, read, set };
}

const FULL =
  '{"version": 1, "defaults": {"security": "full"}, "socket": {"path": "/s", "token": "t0p"}, "own": 1}';

describe('the policy that a gateway reads', () => {
  test('has a special hash if there is no file', () => {
    const { store, path } = open();
    expect(shownPolicy(store)).toEqual({
      path,
      exists: false,
      hash: MISSING_HASH,
      file: { version: 1 },
    });
  });

  test('does not contain the token of the socket', () => {
    const { store, path } = open(FULL);
    const seen = shownPolicy(store);
    expect(seen).toMatchObject({
      path,
      exists: true,
      hash: sha256(FULL),
      file: { socket: { path: '/s' } },
    });
    expect(JSON.stringify(seen)).not.toContain('t0p');
  });

  test('does not contain an unusable file', () => {
    const { store } = open('{"secret": 1');
    expect(() => shownPolicy(store)).toThrow('exec approvals unavailable');
  });
});

describe('a change by a gateway', () => {
  test('writes a stricter file, readable only by its owner, and keeps the socket', () => {
    const { set, read, path, store } = open(FULL);
    const file = { version: 1, defaults: { security: 'deny' }, socket: { path: '/evil', token: '***' } };
    const done = set({ file });
    expect(JSON.parse(read())).toEqual({
      version: 1,
      defaults: { security: 'deny' },
      socket: { path: '/s', token: 't0p' },
    });
    expect(done).toMatchObject({ exists: true, hash: sha256(read()) });
    expect(JSON.stringify(done)).not.toContain('t0p');
    expect(store.snapshot()!.hash).toBe(done.hash);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each<[RemoteChange, string]>([
    [{ baseHash: undefined, file: {} }, 'baseHash is required for exec approvals updates; reload and retry'],
    [{ baseHash: ' ', file: {} }, 'baseHash is required for exec approvals updates; reload and retry'],
    [{ baseHash: 'other', file: {} }, 'exec approvals changed; reload and retry'],
    [{}, 'exec approvals file required'],
    [{ file: [] }, 'exec approvals file required'],
    [{ file: { version: 2 } }, 'exec approvals file version 1 required'],
    [{ file: {} }, 'exec approvals file version 1 required'],
    [{ file: { version: 1, agents: 5 } }, 'exec approvals file malformed'],
    [
      {
        file: {
          version: 1,
          defaults: { security: 'full', ask: 'off' },
          agents: { a: { allowlist: ['/bin/ls'] } },
        },
      },
      "Remote exec approval updates cannot add or change allowlist entries for agent 'a'.",
    ],
    [
      { rules: [{ pattern: '*', action: 'allow' }] },
      'Exec policy rules are read from exec-policy.json on this machine and cannot be changed remotely.',
    ],
  ])('%j: %s', (change, text) => {
    const { set, read } = open(FULL);
    expect(() => set(change)).toThrow(text);
    expect(read()).toBe(FULL);
  });

  test('refuses a file that is too large to be read again', () => {
    const { set, read } = open(FULL);
    const file = { version: 1, more: ' '.repeat(3 * 1024 * 1024) };
    expect(() => set({ file })).toThrow('exec approvals file too large');
    expect(read()).toBe(FULL);
  });

  test('accepts a hash with the prefix sha256:', () => {
    const { set } = open(FULL);
    expect(set({ baseHash: `sha256:${sha256(FULL)}`, file: { version: 1 } }).file).toMatchObject({
      version: 1,
    });
  });

  test('refuses the second of two changes with the same hash', () => {
    const { store, set } = open(FULL);
    const { hash } = store.snapshot()!;
    set({ baseHash: hash, file: { version: 1 } });
    expect(() => set({ baseHash: hash, file: { version: 1, defaults: { security: 'deny' } } })).toThrow(
      'exec approvals changed; reload and retry',
    );
  });

  describe('while rules are in force', () => {
    const RULES = JSON.stringify({
      rules: [
        { pattern: 'echo *', action: 'allow', shells: null, description: null },
        { pattern: 'rm *', action: 'deny', shells: ['cmd'], description: 'No', enabled: false, own: 1 },
      ],
    });
    const openRules = () => {
      const opened = open();
      const rulesPath = join(opened.home, 'exec-policy.json');
      writeFileSync(rulesPath, RULES);
      return { ...opened, rulesPath };
    };
    const hash = `sha256:${sha256(RULES)}`;

    test('shows the rules, without null members', () => {
      expect(shownPolicy(openRules().store)).toEqual({
        enabled: true,
        hash,
        baseHash: hash,
        defaultAction: 'deny',
        constraints: {
          baseHashRequired: true,
          defaultAllowAllowed: false,
          broadAllowRulesAllowed: false,
          dangerousAllowRulesAllowed: false,
        },
        rules: [
          { pattern: 'echo *', action: 'allow', enabled: true },
          { pattern: 'rm *', action: 'deny', shells: ['cmd'], description: 'No', enabled: false },
        ],
      });
    });

    test('accepts a file that denies everything, and leaves the rules file unchanged', () => {
      const { set, store, read, rulesPath } = openRules();
      const file = { version: 1, defaults: { security: 'deny' } };
      expect(() => set({ baseHash: MISSING_HASH, file })).toThrow('exec approvals changed');
      expect(set({ baseHash: hash, file })).toMatchObject({ exists: true, file });
      expect(JSON.parse(read())).toEqual(file);
      expect(store.policy()).toMatchObject({ kind: 'approvals', file });
      expect(readFileSync(rulesPath, 'utf8')).toBe(RULES);
    });

    test.each<[RemoteChange, string]>([
      [{ file: { version: 1 } }, 'cannot make security less restrictive for defaults'],
      [
        { file: { version: 1, defaults: { security: 'deny' }, agents: { a: { security: 'allowlist' } } } },
        "cannot make security less restrictive for agent 'a'",
      ],
      [{ rules: [{ pattern: '*', action: 'deny' }] }, 'cannot be changed remotely'],
    ])('%j: %s', (change, text) => {
      const { set, path } = openRules();
      expect(() => set({ baseHash: hash, ...change })).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(text) as string,
          hint: expect.stringContaining('exec-policy.json is in force') as string,
        }),
      );
      expect(existsSync(path)).toBe(false);
    });

    test('refuses to allow a command for good, and names the alternative', () => {
      const plan = { argv: ['ls'], path: '/bin/ls', cwd: '/', operands: [] };
      expect(() => openRules().store.allowAlways(plan, 'ls', 'main')).toThrow(
        expect.objectContaining({
          hint: expect.stringMatching(
            /exec-policy\.json.*To allow the command once: pincer approvals allow ID/,
          ) as string,
        }),
      );
    });
  });

  test('never overwrites a broken file', () => {
    const { set, read, store } = open('{"version": 7}');
    expect(() => set({ baseHash: sha256('{"version": 7}'), file: { version: 1 } })).toThrow('unavailable');
    expect(() =>
      store.allowAlways({ argv: ['ls'], path: '/bin/ls', cwd: '/', operands: [] }, 'ls', 'main'),
    ).toThrow('does not accept new entries');
    expect(read()).toBe('{"version": 7}');
  });
});

test.each(['/srv/**/tool', '/srv/tool?'])(
  '%s cannot be allowed for good, because its entry would match other programs',
  (path) => {
    const { store, read } = open(FULL);
    const plan = { argv: [path], path, cwd: '/a', operands: [] };
    expect(() => store.allowAlways(plan, path, 'main')).toThrow('cannot be allowed for good');
    expect(read()).toBe(FULL);
  },
);

test('allowing a command for good adds one entry for exactly this command', () => {
  const { store, read } = open(FULL);
  const plan = { argv: ['git', 'status'], path: '/usr/bin/git', cwd: '/a', operands: [] };
  store.allowAlways(plan, 'git status', 'main');
  store.allowAlways(plan, 'git status', 'main');
  const file = JSON.parse(read()) as { agents: { main: { allowlist: object[] } } };
  expect(file).toMatchObject({ own: 1, socket: { token: 't0p' } });
  expect(file.agents.main.allowlist).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      pattern: '/usr/bin/git',
      argPattern: exactArgumentsIn(['git', 'status'], '/a'),
      source: 'allow-always',
      commandText: 'git status',
      argv: ['git', 'status'],
      cwd: '/a',
      files: [],
      lastUsedAt: 5,
      lastResolvedPath: '/usr/bin/git',
    },
  ]);
});
