/** `system.execApprovals.set`: a remote caller may make the policy stricter, if the file is still the one that they have seen. */
import { CommandFailure } from '../../registry/failure.ts';
import type { ApprovalsStore, Snapshot } from './approvals-store.ts';
import type { ExecPolicy } from './load-policy.ts';
import { parsePolicy, type PolicyFile } from './policy-file.ts';
import { MAX_BYTES } from './read-private-file.ts';
import { shownRules, type ShownRules } from './shown-rules.ts';
import { loosened } from './tighten.ts';

export interface RemoteChange {
  readonly baseHash?: unknown;
  readonly file?: unknown;
  /** The form of `exec-policy.json`. */
  readonly rules?: unknown;
}

type RulesInForce = Extract<ExecPolicy, { kind: 'rules' }>;

const REDACTED = '***';

/** The policy as it leaves this machine. */
export function shownPolicy(store: ApprovalsStore): Snapshot | ShownRules {
  const current = currentOf(store);
  return 'rules' in current ? shownRules(current.rules, current.hash) : shown(current);
}

function shown({ path, exists, hash, file }: Snapshot): Snapshot {
  const token = file.socket?.token;
  return { path, exists, hash, file: token === undefined ? file : withToken(file, REDACTED) };
}

const withToken = (file: PolicyFile, token: string): PolicyFile => ({
  ...file,
  socket: { ...file.socket, token },
});

const refuse = (text: string, hint: string): never => {
  throw new CommandFailure(text, { hint, code: 'INVALID_REQUEST', notExecuted: true });
};

const STOP_ALL =
  'exec-policy.json is in force, and is changed on the machine itself. From elsewhere it can only be put out of force by a "file" under which nothing runs: {"version": 1, "defaults": {"security": "deny"}}.';
const RELOAD = 'Read system.execApprovals.get once more, and change what it gives.';

/** What is surely stricter than rules, whatever they are: a file under which nothing runs. */
const NOTHING_RUNS: PolicyFile = { version: 1, defaults: { security: 'deny' } };

export function applyRemoteChange(store: ApprovalsStore, { baseHash, file, rules }: RemoteChange): Snapshot {
  const current = currentOf(store);
  const isRules = 'rules' in current;
  const before = isRules ? NOTHING_RUNS : current.file;
  if (rules !== undefined)
    return refuse(
      'Exec policy rules are read from exec-policy.json on this machine and are not taken from elsewhere.',
      isRules ? STOP_ALL : 'Send "file" in the form that system.execApprovals.get gives.',
    );
  if (typeof baseHash !== 'string' || baseHash.trim() === '')
    return refuse('baseHash is required for exec approvals updates; reload and retry', RELOAD);
  if (plainHash(baseHash) !== plainHash(current.hash))
    return refuse('exec approvals changed; reload and retry', RELOAD);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    return refuse('exec approvals file required', 'Send it as "file".');
  // Nobody could read it any more, and the person's own policy would be gone.
  if (Buffer.byteLength(JSON.stringify(file, undefined, 2)) > MAX_BYTES / 2)
    return refuse('exec approvals file too large', 'Send no more than system.execApprovals.get gives.');
  const parsed = parsePolicy(file);
  if (!('file' in parsed))
    return parsed.problem === 'version'
      ? refuse('exec approvals file version 1 required', 'Send {"version": 1, …}.')
      : refuse('exec approvals file malformed', 'Send it in the form of exec-approvals.json.');
  const looser = loosened(before, parsed.file);
  if (looser !== undefined)
    return refuse(looser, isRules ? STOP_ALL : 'Change exec-approvals.json on the machine itself.');
  // The socket at which other programs ask is not for a remote caller to change.
  const { socket: _ignored, ...rest } = parsed.file;
  const { socket } = before;
  return shown(store.write({ ...rest, ...(socket !== undefined && { socket }) }));
}

const plainHash = (hash: string): string => hash.trim().replace(/^sha256:/, '');

/** Throws where the file on this machine is not one to be shown or replaced. */
function currentOf(store: ApprovalsStore): Snapshot | RulesInForce {
  const snapshot = store.snapshot();
  if (snapshot !== undefined) return snapshot;
  const policy = store.policy();
  if (policy.kind === 'rules') return policy;
  return refuse(
    'exec approvals unavailable',
    policy.kind === 'closed' ? `${policy.file} ${policy.why}. Repair or remove it on the machine.` : RELOAD,
  );
}
