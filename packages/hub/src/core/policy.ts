import { AGENT_SOURCE, DEVICE_SOURCE, type Caller, type ScopedTool } from './caller.ts';
import { PincerError } from './errors.ts';
import { visible } from './visible.ts';
import type { Prepared } from './request.ts';

export type Decision = 'allow' | 'ask' | 'deny';

/** The port that every call passes, on every surface. */
export interface Policy {
  decide(caller: Caller, tool: ScopedTool): Decision;
}

export interface PolicyRules {
  readonly default?: Decision | undefined;
  /** By tool name, or `*` for the rest of that server. */
  readonly servers?: Readonly<Record<string, Readonly<Record<string, Decision>>>> | undefined;
}

/** The narrowest rule wins: tool, then server, then default. Without a rule, configured servers are allowed. */
export const createPolicy = (rules: PolicyRules): Policy => ({
  decide(_caller, tool) {
    const server = own(rules.servers, tool.server);
    return own(server, tool.name) ?? own(server, '*') ?? rules.default ?? 'allow';
  },
});

/** Whether any rule asks about or denies something of the server. */
export function isGuarded(rules: PolicyRules, server: string): boolean {
  const table = own(rules.servers, server) ?? {};
  const rest = own(table, '*') ?? rules.default ?? 'allow';
  return rest !== 'allow' || Object.values(table).some((decision) => decision !== 'allow');
}

const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

const STRICTNESS: readonly Decision[] = ['allow', 'ask', 'deny'];

export const stricter = (a: Decision, b: Decision): Decision =>
  STRICTNESS.indexOf(a) > STRICTNESS.indexOf(b) ? a : b;

/** Methods that a person can be asked to approve. */
const ASKED_ABOUT: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
]);
/** Methods that continue or end something already approved. */
const FOLLOWS: ReadonlySet<string> = new Set([
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'resources/unsubscribe',
]);

/** `ask` applies to whole calls: no person is asked about each letter of a completion or each poll of a task. */
export function decisionFor(method: string, decision: Decision): Decision {
  if (decision !== 'ask' || ASKED_ABOUT.has(method)) return decision;
  return FOLLOWS.has(method) ? 'allow' : 'deny';
}

export function policyDenied(
  method: string,
  { server, name }: ScopedTool,
  why: 'denies' | 'no-approver' = 'denies',
): PincerError {
  const what = visible(name === '' ? `${method} at ${server}` : `${server}.${name}`);
  return new PincerError(
    'POLICY_DENIED',
    why === 'denies'
      ? `Policy denies ${what}. It was not run.`
      : `${what} needs an approval, and no person can be asked here. It was not run.`,
    { hint: `Change ${settingOf(server, name) ?? `"policy" for ${what}`} in the configuration.` },
  );
}

/** The setting for a source that is not a server. */
function settingOf(server: string, name: string): string | undefined {
  if (server === AGENT_SOURCE) return 'agent.policy';
  return server === DEVICE_SOURCE ? `device.policy.${visible(JSON.stringify(name || '*'))}` : undefined;
}

/** The stricter decision of policy and source. If the request would do nothing, the source alone decides. */
export function decisionWith(byPolicy: Decision, prepared: Prepared | undefined): Decision {
  if (prepared === undefined) return byPolicy;
  return prepared.subject.length === 0 ? prepared.decision : stricter(byPolicy, prepared.decision);
}
