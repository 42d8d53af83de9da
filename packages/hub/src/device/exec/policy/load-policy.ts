/** Which policy holds now. It is read for each command and once more before the start, so that a change counts at once. */
import { join } from 'node:path';
import { EMPTY_POLICY, parsePolicy, type PolicyFile } from './policy-file.ts';
import { MISSING_HASH, parseJson, readPrivateFile, type Unusable } from './read-private-file.ts';
import { parseRules, type Rules } from './rules.ts';

export type ExecPolicy =
  | { readonly kind: 'approvals'; readonly file: PolicyFile; readonly hash: string; readonly exists: boolean }
  | { readonly kind: 'rules'; readonly rules: Rules; readonly hash: string }
  /** There is a file that cannot be relied on: nothing runs, and nobody overwrites it. */
  | ({ readonly kind: 'closed'; readonly file: string } & Unusable);

const APPROVALS = 'exec-approvals.json';
const RULES = 'exec-policy.json';

export const approvalsPath = (home: string): string => join(home, APPROVALS);

export function loadPolicy(home: string): ExecPolicy {
  const read = readPrivateFile(approvalsPath(home));
  if (read.state === 'unusable') return closedBy(APPROVALS, read);
  if (read.state === 'missing') return loadRules(home);
  const parsed = parsePolicy(parseJson(read.text));
  if ('file' in parsed) return { kind: 'approvals', file: parsed.file, hash: read.hash, exists: true };
  const why =
    parsed.problem === 'version' ? 'is of another version' : 'is not in the form that is documented';
  return { kind: 'closed', file: APPROVALS, why };
}

const closedBy = (file: string, { why, remedy }: Unusable): ExecPolicy => ({
  kind: 'closed',
  file,
  why,
  ...(remedy !== undefined && { remedy }),
});

function loadRules(home: string): ExecPolicy {
  const read = readPrivateFile(join(home, RULES));
  if (read.state === 'missing')
    return { kind: 'approvals', file: EMPTY_POLICY, hash: MISSING_HASH, exists: false };
  if (read.state === 'unusable') return closedBy(RULES, read);
  const rules = parseRules(parseJson(read.text));
  return rules === undefined
    ? { kind: 'closed', file: RULES, why: 'is not in the form that is documented' }
    : { kind: 'rules', rules, hash: read.hash };
}
