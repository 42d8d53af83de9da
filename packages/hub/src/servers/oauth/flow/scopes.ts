/** Which scopes are asked for. Pure. */

export interface ScopeParts {
  /** What the person has set: exactly these. */
  readonly configured?: readonly string[] | undefined;
  /** What the server asked for in its challenge. */
  readonly challenged?: readonly string[] | undefined;
  /** What the server lists in its metadata. */
  readonly resourceSupports?: readonly string[] | undefined;
  /** What the authorization server lists. */
  readonly issuerSupports?: readonly string[] | undefined;
  /** What somebody has agreed to already, where more is needed now (step-up). */
  readonly granted?: readonly string[] | undefined;
}

/** An empty list: `scope` is left out, and the authorization server chooses. */
export function chooseScopes(parts: ScopeParts): readonly string[] {
  const { configured, challenged, resourceSupports, issuerSupports, granted = [] } = parts;
  if (configured !== undefined)
    return union(configured, granted.length > 0 ? [...granted, ...(challenged ?? [])] : []);
  const chosen = union(granted, challenged ?? (granted.length > 0 ? [] : (resourceSupports ?? [])));
  // Without it some give nothing to renew a sign-in with; those that do not know it may refuse it.
  return issuerSupports?.includes(OFFLINE) === true && chosen.length > 0 ? union(chosen, [OFFLINE]) : chosen;
}

const OFFLINE = 'offline_access';

export const union = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...new Set([...a, ...b]),
];
