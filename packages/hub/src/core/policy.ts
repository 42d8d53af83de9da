import { AGENT_SOURCE, DEVICE_SOURCE, type Caller, type ScopedTool } from './caller.ts';
import { PincerError } from './errors.ts';
import { visible } from './visible.ts';
import type { Prepared } from './request.ts';

export type Decision = 'allow' | 'ask' | 'deny';

/** The port that every call passes, whatever surface it came from. */
export interface Policy {
  decide(caller: Caller, tool: ScopedTool): Decision;
}

export interface PolicyRules {
  readonly default?: Decision | undefined;
  /** By tool name, or `*` for the rest of that server. */
  readonly servers?: Readonly<Record<string, Readonly<Record<string, Decision>>>> | undefined;
}

/** The narrowest rule wins: tool, then server, then default. What the person configured is allowed by default. */
export const createPolicy = (rules: PolicyRules): Policy => ({
  decide(_caller, tool) {
    const server = own(rules.servers, tool.server);
    return own(server, tool.name) ?? own(server, '*') ?? rules.default ?? 'allow';
  },
});

/** Whether some of what a server has is asked about, or refused. */
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

/** What a person can be asked about. */
const ASKED_ABOUT: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
]);
/** What only goes on with something that was asked about, or ends it. */
const FOLLOWS: ReadonlySet<string> = new Set([
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'resources/unsubscribe',
]);

/** Nobody is asked about each letter of a completion, nor each time that a task is looked after. */
export function decisionFor(method: string, decision: Decision): Decision {
  if (decision !== 'ask' || ASKED_ABOUT.has(method)) return decision;
  return FOLLOWS.has(method) ? 'allow' : 'deny';
}

export function policyDenied(
  method: string,
  { server, name }: ScopedTool,
  why: 'denies' | 'nobody' = 'denies',
): PincerError {
  const what = visible(name === '' ? `${method} at ${server}` : `${server}.${name}`);
  return new PincerError(
    'POLICY_DENIED',
    why === 'denies'
      ? `Policy denies ${what}. It was not run.`
      : `${what} needs an approval and nobody can be asked. It was not run.`,
    { hint: `Change ${settingOf(server, name) ?? `"policy" for ${what}`} in the configuration.` },
  );
}

/** Of what is no server. */
function settingOf(server: string, name: string): string | undefined {
  if (server === AGENT_SOURCE) return 'agent.policy';
  return server === DEVICE_SOURCE ? `device.policy.${visible(JSON.stringify(name || '*'))}` : undefined;
}

/** Of policy and of what the source itself says of a request, the stricter; where nothing would be done, policy has no say. */
export function decisionWith(byPolicy: Decision, prepared: Prepared | undefined): Decision {
  if (prepared === undefined) return byPolicy;
  return prepared.subject.length === 0 ? prepared.decision : stricter(byPolicy, prepared.decision);
}
