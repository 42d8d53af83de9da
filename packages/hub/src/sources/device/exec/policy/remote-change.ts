/** `system.execApprovals.set`: a remote caller may make the policy stricter, if the file is still the one that they have seen. */
import { CommandFailure } from '../../registry/failure.ts';
import type { ApprovalsStore, Snapshot } from './approvals-store.ts';
import { parsePolicy, type PolicyFile } from './policy-file.ts';
import { MAX_BYTES } from './read-private-file.ts';
import { loosened } from './tighten.ts';

export interface RemoteChange {
  readonly baseHash?: unknown;
  readonly file?: unknown;
  /** The form of `exec-policy.json`. */
  readonly rules?: unknown;
}

const REDACTED = '***';

/** As it leaves this machine. */
export function shown({ path, exists, hash, file }: Snapshot): Snapshot {
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

const RELOAD = 'Read system.execApprovals.get once more, and change what it gives.';

export function applyRemoteChange(store: ApprovalsStore, { baseHash, file, rules }: RemoteChange): Snapshot {
  const current = currentOf(store);
  if (rules !== undefined)
    return refuse(
      'Exec policy rules are read from exec-policy.json on this machine and are not taken from elsewhere.',
      'Send "file" in the form that system.execApprovals.get gives.',
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
      : refuse('exec approvals file malformed', 'Send it in the form that system.execApprovals.get gives.');
  const looser = loosened(current.file, parsed.file);
  if (looser !== undefined) return refuse(looser, 'Change exec-approvals.json on the machine itself.');
  // The socket at which other programs ask is not for a remote caller to change.
  const { socket: _ignored, ...rest } = parsed.file;
  const { socket } = current.file;
  return shown(store.write({ ...rest, ...(socket !== undefined && { socket }) }));
}

const plainHash = (hash: string): string => hash.trim().replace(/^sha256:/, '');

/** Throws where the file on this machine is not one to be shown or replaced. */
export function currentOf(store: ApprovalsStore): Snapshot {
  const snapshot = store.snapshot();
  if (snapshot !== undefined) return snapshot;
  const policy = store.policy();
  return policy.kind === 'closed'
    ? refuse(
        'exec approvals unavailable',
        `${policy.file} ${policy.why}. Repair or remove it on the machine.`,
      )
    : refuse(
        'exec approvals unavailable: exec-policy.json is in force',
        'Its rules are changed on the machine itself. With an exec-approvals.json beside it, that one is in force.',
      );
}
