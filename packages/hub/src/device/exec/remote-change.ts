/**
 * `system.execApprovals.get` and `.set`: a remote caller may only make the policy stricter, and must send the hash of the
 * file that it read.
 */
import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '../registry/capability.ts';
import type { ApprovalsStore, Snapshot } from './approvals-store.ts';
import { effectiveFor, type Effective, EVERY_AGENT, MAIN_AGENT, ownSettings } from './decide.ts';
import {
  type ExecPolicy,
  parsePolicy,
  type PolicyFile,
  SECURITIES,
  type AllowlistEntry,
  type Rule,
  type Rules,
  MAX_POLICY_BYTES,
} from './policy-file.ts';

export interface RemoteChange {
  readonly baseHash?: unknown;
  readonly file?: unknown;
  /** The form of `exec-policy.json`. */
  readonly rules?: unknown;
}

type RulesInForce = Extract<ExecPolicy, { kind: 'rules' }>;

const REDACTED = '***';

/** The policy without secrets. */
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
  'exec-policy.json is in force. Only the person at the machine can change it. A remote caller can only replace it with a "file" that denies everything: {"version": 1, "defaults": {"security": "deny"}}.';
const RELOAD = 'Call system.execApprovals.get again, and change what it returns.';

/** A policy that is stricter than any rules: nothing runs. */
const NOTHING_RUNS: PolicyFile = { version: 1, defaults: { security: 'deny' } };

export function applyRemoteChange(store: ApprovalsStore, { baseHash, file, rules }: RemoteChange): Snapshot {
  const current = currentOf(store);
  const isRules = 'rules' in current;
  const before = isRules ? NOTHING_RUNS : current.file;
  if (rules !== undefined)
    return refuse(
      'Exec policy rules are read from exec-policy.json on this machine and cannot be changed remotely.',
      isRules ? STOP_ALL : 'Send "file" in the form that system.execApprovals.get returns.',
    );
  if (typeof baseHash !== 'string' || baseHash.trim() === '')
    return refuse('baseHash is required for exec approvals updates; reload and retry', RELOAD);
  if (plainHash(baseHash) !== plainHash(current.hash))
    return refuse('exec approvals changed; reload and retry', RELOAD);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    return refuse('exec approvals file required', 'Send it as "file".');
  // A file above the limit could not be read again, and the person's policy would be lost.
  if (Buffer.byteLength(JSON.stringify(file, undefined, 2)) > MAX_POLICY_BYTES / 2)
    return refuse('exec approvals file too large', 'Send no more than system.execApprovals.get returns.');
  const parsed = parsePolicy(file);
  if (!('file' in parsed))
    return parsed.problem === 'version'
      ? refuse('exec approvals file version 1 required', 'Send {"version": 1, …}.')
      : refuse('exec approvals file malformed', 'Send it in the form of exec-approvals.json.');
  const looser = loosened(before, parsed.file);
  if (looser !== undefined)
    return refuse(looser, isRules ? STOP_ALL : 'Change exec-approvals.json on the machine itself.');
  // A remote caller must not change the socket of other programs.
  const { socket: _ignored, ...rest } = parsed.file;
  const { socket } = before;
  return shown(store.write({ ...rest, ...(socket !== undefined && { socket }) }));
}

const plainHash = (hash: string): string => hash.trim().replace(/^sha256:/, '');

/** Throws if the policy file is unusable. */
function currentOf(store: ApprovalsStore): Snapshot | RulesInForce {
  const snapshot = store.snapshot();
  if (snapshot !== undefined) return snapshot;
  const policy = store.policy();
  if (policy.kind === 'rules') return policy;
  return refuse(
    'exec approvals unavailable',
    policy.kind === 'closed'
      ? `${policy.file} ${policy.why}. ${policy.remedy ?? 'Repair or remove it on the machine.'}`
      : RELOAD,
  );
}

interface ShownRules {
  readonly enabled: true;
  readonly hash: string;
  /** The same as `hash`, under the name that a change sends. */
  readonly baseHash: string;
  readonly defaultAction: NonNullable<Rules['defaultAction']>;
  readonly constraints: Readonly<Record<string, boolean>>;
  readonly rules: readonly object[];
}

const CONSTRAINTS = {
  baseHashRequired: true,
  defaultAllowAllowed: false,
  broadAllowRulesAllowed: false,
  dangerousAllowRulesAllowed: false,
};

/** The form of older nodes that only had rules. */
const shownRules = ({ rules = [], defaultAction = 'deny' }: Rules, fileHash: string): ShownRules => {
  const hash = `sha256:${fileHash}`;
  return {
    enabled: true,
    hash,
    baseHash: hash,
    defaultAction,
    constraints: CONSTRAINTS,
    rules: rules.map(shownRule),
  };
};

/** Omits null members: gateways reject them. */
const shownRule = ({ pattern, action, shells, description, enabled }: Rule): object => ({
  pattern,
  action,
  ...(shells && { shells }),
  ...(typeof description === 'string' && { description }),
  enabled: enabled !== false,
});

/** Represents any agent that the files do not name. */
const ANY_OTHER = '\0';

/**
 * Returns why a change is refused: `after` must not be less strict than `before` for any agent.
 * Undefined if it is allowed.
 */
export function loosened(before: PolicyFile, after: PolicyFile): string | undefined {
  const named = new Set([
    MAIN_AGENT,
    EVERY_AGENT,
    ...Object.keys(before.agents ?? {}),
    ...Object.keys(after.agents ?? {}),
  ]);
  for (const agent of [ANY_OTHER, ...named]) {
    const scope = agent === ANY_OTHER ? 'defaults' : agent === EVERY_AGENT ? "agent '*'" : `agent '${agent}'`;
    const member = looserMember(before, after, agent);
    if (member !== undefined)
      return `Remote exec approval updates cannot make ${member} less restrictive for ${scope}.`;
  }
  const grown = [...named].find((agent) => hasNewEntries(before, after, agent));
  return grown === undefined
    ? undefined
    : `Remote exec approval updates cannot add or change allowlist entries for agent '${grown}'.`;
}

/** 0: refused. 1: a person is asked. 2: it runs. */
function outcome({ security, ask }: Effective, isHit: boolean): number {
  if (security === 'deny' || ask === 'deny') return 0;
  if (ask === 'always') return 1;
  if (security === 'full' || isHit) return 2;
  return ask === 'on-miss' ? 1 : 0;
}

function looserMember(before: PolicyFile, after: PolicyFile, agent: string): string | undefined {
  const [old, next] = [effectiveFor(before, agent), effectiveFor(after, agent)];
  if (SECURITIES.indexOf(next.security) > SECURITIES.indexOf(old.security)) return 'security';
  if ([true, false].some((isHit) => outcome(next, isHit) > outcome(old, isHit))) return 'ask';
  if (SECURITIES.indexOf(next.askFallback) > SECURITIES.indexOf(old.askFallback)) return 'askFallback';
  return next.autoAllowSkills && !old.autoAllowSkills ? 'autoAllowSkills' : undefined;
}

const entriesOf = (file: PolicyFile, agent: string): readonly AllowlistEntry[] =>
  ownSettings(file, agent).allowlist ?? [];

/** The members that decide what an entry allows. */
const decisive = ({ pattern, argPattern, source, filesHash }: AllowlistEntry): unknown => [
  pattern,
  argPattern,
  source,
  filesHash,
];

const hasNewEntries = (before: PolicyFile, after: PolicyFile, agent: string): boolean =>
  entriesOf(after, agent).some(
    (entry) => !entriesOf(before, agent).some((old) => isDeepStrictEqual(decisive(old), decisive(entry))),
  );
