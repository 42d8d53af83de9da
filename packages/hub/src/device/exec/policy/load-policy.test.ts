import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../../../test/kit/temporary-folder.ts';
import { loadPolicy } from './load-policy.ts';
import { MISSING_HASH } from './read-private-file.ts';
import { sha256Hex } from '../sha256.ts';

function folder(files: Readonly<Record<string, string>> = {}): string {
  const home = temporaryFolder('exec-policy');
  onTestFinished(() => home[Symbol.dispose]());
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, name), text);
  return home.path;
}

const APPROVALS = 'exec-approvals.json';
const closed = (why: string, file = APPROVALS) => ({ kind: 'closed', file, why });

test('where there is no file, the defaults hold', () => {
  expect(loadPolicy(folder())).toEqual({
    kind: 'approvals',
    file: { version: 1 },
    hash: MISSING_HASH,
    exists: false,
  });
});

test('the hash is that of the bytes, whatever they say', () => {
  const text = ' {"version": 1, "defaults": {"askFallback": "on-miss"}, "kept": [1]}\n';
  expect(loadPolicy(folder({ [APPROVALS]: text }))).toEqual({
    kind: 'approvals',
    exists: true,
    hash: sha256Hex(text),
    file: { version: 1, defaults: { askFallback: 'allowlist' }, kept: [1] },
  });
});

test.each([
  ['', 'is not in the form that is documented'],
  ['{', 'is not in the form that is documented'],
  ['[]', 'is not in the form that is documented'],
  ['null', 'is not in the form that is documented'],
  ['{}', 'is of another version'],
  ['{"version": 2}', 'is of another version'],
  ['{"version": "1"}', 'is of another version'],
  ['{"version": 1, "defaults": {"security": "ful"}}', 'is not in the form that is documented'],
  ['{"version": 1, "defaults": {"ask": true}}', 'is not in the form that is documented'],
  ['{"version": 1, "agents": []}', 'is not in the form that is documented'],
  ['{"version": 1, "agents": {"main": {"allowlist": "ls"}}}', 'is not in the form that is documented'],
  [
    '{"version": 1, "agents": {"main": {"allowlist": [{"argPattern": "x"}]}}}',
    'is not in the form that is documented',
  ],
])('%j lets nothing run: it %s', (text, why) => {
  // The rules of before do not come back because a newer file is broken.
  const rules = JSON.stringify({ defaultAction: 'allow' });
  expect(loadPolicy(folder({ [APPROVALS]: text, 'exec-policy.json': rules }))).toEqual(closed(why));
});

test('a link, a second name or a folder lets nothing run', () => {
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

test('rules are read where there are no approvals', () => {
  const rules = { defaultAction: 'deny', rules: [{ pattern: 'echo *', action: 'allow', shells: null }] };
  const text = JSON.stringify(rules);
  expect(loadPolicy(folder({ 'exec-policy.json': text }))).toEqual({
    kind: 'rules',
    rules,
    hash: sha256Hex(text),
  });
  expect(loadPolicy(folder({ 'exec-policy.json': '{' }))).toEqual(
    closed('is not in the form that is documented', 'exec-policy.json'),
  );
});
