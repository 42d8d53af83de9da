import type { Caller, ScopedTool } from './caller.ts';

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

const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
