import { stricter, type Decision } from '../policy.ts';
import type { Prepared } from '../request.ts';

/** Of policy and of what the source itself says of a request, the stricter; where nothing would be done, policy has no say. */
export function decisionWith(byPolicy: Decision, prepared: Prepared | undefined): Decision {
  if (prepared === undefined) return byPolicy;
  return prepared.subject.length === 0 ? prepared.decision : stricter(byPolicy, prepared.decision);
}
