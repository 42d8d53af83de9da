import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { sha256 } from '../../lib/digest.ts';
import { loadPolicy, MISSING_HASH, othersProblem } from './policy-file.ts';

function folder(files: Readonly<Record<string, string>> = {}): string {
  const home = temporaryFolder('exec-policy');
  onTestFinished(() => home[Symbol.dispose]());
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, name), text);
  return home.path;
}

const APPROVALS = 'exec-approvals.json';
const closed = (why: string, file = APPROVALS) => ({ kind: 'closed', file, why });

test('without a file, the defaults apply', () => {
  expect(loadPolicy(folder())).toEqual({
    kind: 'approvals',
    file: { version: 1 },
    hash: MISSING_HASH,
    exists: false,
  });
});

test('the hash is the hash of the bytes', () => {
  const text = ' {"version": 1, "defaults": {"askFallback": "on-miss"}, "kept": [1]}\n';
  expect(loadPolicy(folder({ [APPROVALS]: text }))).toEqual({
    kind: 'approvals',
    exists: true,
    hash: sha256(text),
    file: { version: 1, defaults: { askFallback: 'allowlist' }, kept: [1] },
  });
});

test.each([
  ['', 'is not in the documented form'],
  ['{', 'is not in the documented form'],
  ['[]', 'is not in the documented form'],
  ['null', 'is not in the documented form'],
  ['{}', 'has an unknown version'],
  ['{"version": 2}', 'has an unknown version'],
  ['{"version": "1"}', 'has an unknown version'],
  ['{"version": 1, "defaults": {"security": "ful"}}', 'is not in the documented form'],
  ['{"version": 1, "defaults": {"ask": true}}', 'is not in the documented form'],
  ['{"version": 1, "agents": []}', 'is not in the documented form'],
  ['{"version": 1, "agents": {"main": {"allowlist": "ls"}}}', 'is not in the documented form'],
  [
    '{"version": 1, "agents": {"main": {"allowlist": [{"argPattern": "x"}]}}}',
    'is not in the documented form',
  ],
])('%j denies everything, because it %s', (text, why) => {
  // A broken newer file must not reactivate the older rules.
  const rules = JSON.stringify({ defaultAction: 'allow' });
  expect(loadPolicy(folder({ [APPROVALS]: text, 'exec-policy.json': rules }))).toEqual(closed(why));
});

test('a link, a hard link or a folder denies everything', () => {
  const home = folder({ real: '{"version": 1, "defaults": {"security": "full"}}' });
  const path = join(home, APPROVALS);
  symlinkSync(join(home, 'real'), path);
  expect(loadPolicy(home)).toEqual(closed('is a link'));
  renameSync(path, join(home, 'aside'));
  symlinkSync(join(home, 'nowhere'), path);
  expect(loadPolicy(home)).toEqual(closed('is a link'));
  renameSync(path, join(home, 'aside'));
  linkSync(join(home, 'real'), path);
  expect(loadPolicy(home)).toEqual(closed('has a second name (hard link)'));
  const other = folder();
  mkdirSync(join(other, APPROVALS));
  expect(loadPolicy(other)).toEqual(closed('is not a file'));
});

test('rules are read if there is no approvals file', () => {
  const rules = { defaultAction: 'deny', rules: [{ pattern: 'echo *', action: 'allow', shells: null }] };
  const text = JSON.stringify(rules);
  expect(loadPolicy(folder({ 'exec-policy.json': text }))).toEqual({
    kind: 'rules',
    rules,
    hash: sha256(text),
  });
  expect(loadPolicy(folder({ 'exec-policy.json': '{' }))).toEqual(
    closed('is not in the documented form', 'exec-policy.json'),
  );
});

test.each([0o666, 0o620, 0o602, 0o777])(
  'a file that other users can write to (mode %o) denies everything, with a remedy',
  (mode) => {
    for (const name of [APPROVALS, 'exec-policy.json']) {
      const home = folder({
        [name]: '{"version": 1, "defaultAction": "allow", "defaults": {"security": "full"}}',
      });
      chmodSync(join(home, name), mode);
      expect(loadPolicy(home)).toEqual({
        kind: 'closed',
        file: name,
        why: `can be written by other users (mode ${mode.toString(8)})`,
        remedy: `Check its content, then run: chmod 600 ${join(home, name)}`,
      });
      chmodSync(join(home, name), 0o600);
      expect(loadPolicy(home).kind).not.toBe('closed');
    }
  },
);

test('a folder that other users can write to denies everything', () => {
  const home = folder({ [APPROVALS]: '{"version": 1, "defaults": {"security": "full"}}' });
  chmodSync(home, 0o777);
  expect(loadPolicy(home)).toMatchObject({
    kind: 'closed',
    why: 'is in a folder that can be written by other users (mode 777)',
    remedy: `Check its content, then run: chmod 700 ${home}`,
  });
  chmodSync(home, 0o770);
  expect(loadPolicy(home).kind).toBe('closed');
  chmodSync(home, 0o750);
  expect(loadPolicy(home).kind).toBe('approvals');
});

test('a writable folder denies everything even without a file', () => {
  const home = folder();
  chmodSync(home, 0o777);
  expect(loadPolicy(home)).toMatchObject({ kind: 'closed' });
});

test('a file of another user is refused, unless that user is root', () => {
  const place = { path: '/p', uid: 1_000, mode: '600' };
  expect(othersProblem({ uid: 1_001, mode: 0o100600 }, place)).toEqual({
    why: 'belongs to another user (uid 1001)',
    remedy: 'Check its content, then run: sudo chown 1000 /p',
  });
  expect(othersProblem({ uid: 1_000, mode: 0o100644 }, place)).toBeUndefined();
  expect(othersProblem({ uid: 0, mode: 0o100644 }, place)).toBeUndefined();
  expect(othersProblem({ uid: 0, mode: 0o100644 }, { ...place, uid: 0 })).toBeUndefined();
  expect(othersProblem({ uid: 1_000, mode: 0o100600 }, { ...place, uid: 0 })).toBeDefined();
  expect(othersProblem({ uid: 1_001, mode: 0o100666 }, { ...place, uid: undefined })).toBeUndefined();
});
