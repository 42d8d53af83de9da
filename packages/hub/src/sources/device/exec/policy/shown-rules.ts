/** Rules as nodes showed them that had nothing else. */
import type { Rules } from './rules.ts';

type Rule = NonNullable<Rules['rules']>[number];

export interface ShownRules {
  readonly enabled: true;
  readonly hash: string;
  /** The same, under the name that a change gives it back with. */
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

export const shownRules = ({ rules = [], defaultAction = 'deny' }: Rules, fileHash: string): ShownRules => {
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

/** A gateway takes no null for what is absent. */
const shownRule = ({ pattern, action, shells, description, enabled }: Rule): object => ({
  pattern,
  action,
  ...(shells && { shells }),
  ...(typeof description === 'string' && { description }),
  enabled: enabled !== false,
});
