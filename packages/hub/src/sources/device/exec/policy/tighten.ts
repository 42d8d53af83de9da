/** What a remote change may do to the policy: make it stricter, nothing else. */
import { isDeepStrictEqual } from 'node:util';
import { effectiveFor, type Effective, EVERY_AGENT, MAIN_AGENT, ownSettings } from './effective.ts';
import { SECURITIES, type AllowlistEntry, type PolicyFile } from './policy-file.ts';

/** An agent that no file names. */
const ANY_OTHER = '\0';

/** The text of the answer, where the second is less strict than the first anywhere. */
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

/** What becomes of a command: 0 it is refused, 1 somebody is asked, 2 it runs. */
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

const matter = ({ pattern, argPattern, source, filesHash }: AllowlistEntry): unknown => [
  pattern,
  argPattern,
  source,
  filesHash,
];

const hasNewEntries = (before: PolicyFile, after: PolicyFile, agent: string): boolean =>
  entriesOf(after, agent).some(
    (entry) => !entriesOf(before, agent).some((old) => isDeepStrictEqual(matter(old), matter(entry))),
  );
