/** Decides whether a command runs, needs an approval, or is refused: by the settings of an agent, or by rules. */
import { basename } from 'node:path';
import { isAllowed, type Asked } from './allowlist.ts';
import type { Chain } from './chain.ts';
import { matchesGlob } from './glob.ts';
import { encodedCommand, inlinePayload } from './inline-code.ts';
import { programName } from './machine.ts';
import type {
  ExecPolicy,
  AllowlistEntry,
  Ask,
  PolicyFile,
  Security,
  Action,
  Rule,
  Rules,
} from './policy-file.ts';
import { formatCommand } from './read-request.ts';

/** The decision of a policy about one command. */
export type Verdict = Allowed | { readonly decision: 'ask' } | Refusal;

interface Allowed {
  readonly decision: 'allow';
  /** Allowed by an entry or a rule for this command. False: everything is allowed (`security: full`). */
  readonly isStanding: boolean;
}

interface Refusal {
  readonly decision: 'deny';
  /** The documented text. */
  readonly text: string;
  readonly hint: string;
}

/** The form that other nodes of OpenClaw use. */
export const refusalText = (code: string, reason: string): string => `exec-approvals-v2: ${code} (${reason})`;

const POLICY_HINT = 'exec-approvals.json in the state folder decides what may run.';

const VARIABLES_HINT =
  'The call sets variables ("env"), which no entry of exec-approvals.json allows. Leave "env" out to use the allowlist, or set "ask": "on-miss" so that a person can approve each call.';

const deny = (code: string, reason: string, hint: string = POLICY_HINT): Refusal => ({
  decision: 'deny',
  text: refusalText(code, reason),
  hint,
});

/** The refusal of a policy that allows nothing. Undefined if the policy may allow a command. */
function closed(policy: ExecPolicy, agent: string): Refusal | undefined {
  if (policy.kind === 'closed')
    return deny(
      'SecurityDeny',
      'security=deny',
      `${policy.file} ${policy.why}, so nothing runs. ${policy.remedy ?? 'Repair or remove it.'}`,
    );
  return policy.kind === 'approvals' && effectiveFor(policy.file, agent).security === 'deny'
    ? deny('SecurityDeny', 'security=deny')
    : undefined;
}

export function closedBy(policy: ExecPolicy, agent: string): string | undefined {
  const refusal = closed(policy, agent);
  return refusal && `${refusal.text}. ${refusal.hint}`;
}

export function decide(policy: ExecPolicy, agent: string, asked: Asked): Verdict {
  const verdict = decideByPolicy(policy, agent, asked);
  // The state folder holds the admin token and the policy, so a person is always asked.
  return verdict.decision === 'allow' && asked.namesState ? { decision: 'ask' } : verdict;
}

function decideByPolicy(policy: ExecPolicy, agent: string, asked: Asked): Verdict {
  const refusal = closed(policy, agent);
  if (refusal !== undefined || policy.kind === 'closed') return refusal!;
  if (policy.kind === 'rules') return decideByRules(policy.rules, asked);
  const { security, ask, allowlist } = effectiveFor(policy.file, agent);
  if (ask === 'always') return { decision: 'ask' };
  const isMiss = security === 'allowlist' && !isAllowed(allowlist, asked);
  if (isMiss && ask === 'on-miss') return { decision: 'ask' };
  if (isMiss) return deny('AllowlistMiss', 'allowlist-miss', missHint(asked));
  return ask === 'deny'
    ? deny('AskDeny', 'ask=deny')
    : { decision: 'allow', isStanding: security === 'allowlist' };
}

function missHint({ setsVariables, onlyOnce }: Asked): string {
  if (setsVariables) return VARIABLES_HINT;
  return onlyOnce === undefined
    ? POLICY_HINT
    : `No entry can allow this command, because ${onlyOnce}. Set "ask": "on-miss" in exec-approvals.json to be asked each time.`;
}

export interface Effective {
  readonly security: Security;
  readonly ask: Ask;
  readonly askFallback: Security;
  readonly autoAllowSkills: boolean;
  readonly allowlist: readonly AllowlistEntry[];
}

export const EVERY_AGENT = '*';
export const MAIN_AGENT = 'main';

type AgentSettings = NonNullable<PolicyFile['agents']>[string];

/** The settings of this agent alone, without defaults. */
export const ownSettings = (file: PolicyFile, agent: string): AgentSettings =>
  file.agents !== undefined && Object.hasOwn(file.agents, agent) ? file.agents[agent]! : {};

/** `default` is an older name of `main`. */
export const agentName = (agent: string | undefined): string => {
  const name = agent?.trim() ?? '';
  return name === '' || name === 'default' ? MAIN_AGENT : name;
};

export function effectiveFor(file: PolicyFile, agent: string): Effective {
  const scopes = [
    ownSettings(file, agent),
    ...(agent === MAIN_AGENT ? [ownSettings(file, 'default')] : []),
    ...(agent === EVERY_AGENT ? [] : [ownSettings(file, EVERY_AGENT)]),
  ];
  const settings = [...scopes, file.defaults ?? {}];
  return {
    security: settings.find(({ security }) => security !== undefined)?.security ?? 'allowlist',
    ask: settings.find(({ ask }) => ask !== undefined)?.ask ?? 'on-miss',
    askFallback: settings.find(({ askFallback }) => askFallback !== undefined)?.askFallback ?? 'deny',
    autoAllowSkills:
      settings.find(({ autoAllowSkills }) => autoAllowSkills !== undefined)?.autoAllowSkills ?? false,
    allowlist: scopes.flatMap(({ allowlist = [] }) => allowlist),
  };
}

/** The shell that rules apply to if the call names none. No shell runs commands here. */
const UNNAMED_SHELL = 'powershell';

/** A deny rule applies to every shell. */
const isFor = ({ shells, action, enabled }: Rule): boolean =>
  enabled !== false &&
  (action === 'deny' ||
    shells === undefined ||
    shells === null ||
    shells.length === 0 ||
    shells.some((shell) => shell.toLowerCase() === UNNAMED_SHELL));

interface Judged {
  readonly action: Action;
  readonly reason: string;
}

function judge({ rules = [], defaultAction = 'deny' }: Rules, line: string): Judged {
  const text = line.toLowerCase();
  const found = rules.find((each) => isFor(each) && matchesGlob(each.pattern.toLowerCase(), text));
  if (found === undefined)
    return { action: defaultAction, reason: 'No matching rule; default policy applied' };
  return { action: found.action, reason: found.description ?? `Matched rule: ${found.pattern}` };
}

/** Separates commands in a shell line, including substitutions. */
const SEPARATORS = /[;&|\n\r<>`(){}]|\$\(/;

/** The code that a shell on the command line runs. */
function payloadOf(argv: readonly string[]): string | undefined {
  const encoded = encodedCommand(argv);
  return encoded !== undefined && 'payload' in encoded ? encoded.payload : inlinePayload(argv);
}

/** Further lines that run: the commands of wrappers, and each part of a shell's code. */
const partsOf = ({ links }: Chain): string[] => [
  ...new Set(
    links.flatMap(({ argv }, at) => [
      ...(at === 0 ? [] : [formatCommand(argv)]),
      ...(payloadOf(argv) ?? '')
        .split(SEPARATORS)
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ]),
  ),
];

/** The lines with program names in place of paths, so that `rm *` also matches `/bin/rm` and links to it. */
const namedLines = (chain: Chain): string[] => [
  ...chain.links.flatMap(({ argv, executable: { found, path } }) =>
    [found, path].flatMap((each) =>
      [basename(each), programName(each)].map((name) => formatCommand([name, ...argv.slice(1)])),
    ),
  ),
  ...partsOf(chain).map((line) => line.replace(/^\S*[/\\]/, '')),
];

/** Omits catch-all rules such as `*`: they apply only to the original lines, so that a command allowed by its path stays allowed. */
const rulesByName = ({ rules = [] }: Rules): Rules => ({
  rules: rules.filter(({ pattern }) => /[^*?\s]/.test(pattern)),
  defaultAction: 'allow',
});

/** Why the code of a shell is empty or cannot be decoded. Undefined if neither. */
function emptyPayload({ links }: Chain): string | undefined {
  for (const { argv } of links) {
    const encoded = encodedCommand(argv);
    if (encoded !== undefined && 'problem' in encoded) return encoded.problem;
    if (payloadOf(argv)?.trim() === '') return 'Shell wrapper payload was empty';
  }
  return undefined;
}

const denied = (reason: string): Verdict => ({
  decision: 'deny',
  text: `Command denied by exec policy: ${reason}`,
  hint: 'Change exec-policy.json in the state folder, or replace it with exec-approvals.json.',
});

type RuledOn = Pick<Asked, 'chain' | 'setsVariables' | 'onlyOnce'>;

export function decideByRules(rules: Rules, { chain, setsVariables, onlyOnce }: RuledOn): Verdict {
  const [first] = chain.links;
  if (first === undefined) return denied('Empty command');
  const empty = emptyPayload(chain);
  if (empty !== undefined) return denied(empty);
  const whole = judge(rules, formatCommand(first.argv));
  const all = [whole, ...partsOf(chain).map((line) => judge(rules, line))];
  const byName = namedLines(chain).map((line) => judge(rulesByName(rules), line));
  const no = [...all, ...byName].find(({ action }) => action === 'deny');
  if (no !== undefined) return denied(no.reason);
  // A person must allow opaque commands, those that load other files, and those with variables.
  const isCovered = !setsVariables && !chain.isOpaque && onlyOnce === undefined;
  return isCovered && all.every(({ action }) => action === 'allow')
    ? { decision: 'allow', isStanding: true }
    : { decision: 'ask' };
}
