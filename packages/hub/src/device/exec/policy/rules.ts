/** `exec-policy.json`: a list of rules over whole command lines, as nodes had it before allowlists. It is read, never written. */
import { basename } from 'node:path';
import { z } from 'zod';
import { formatCommand } from '../request/format-command.ts';
import type { Chain } from '../wrappers/chain.ts';
import { encodedCommand } from '../wrappers/encoded-command.ts';
import { inlinePayload } from '../wrappers/inline-code.ts';
import { programName } from '../wrappers/program-name.ts';
import type { Asked } from './allowlist.ts';
import type { Verdict } from './verdict.ts';
import { matchesGlob } from './glob.ts';

const ACTIONS = ['allow', 'deny', 'prompt'] as const;

const rule = z.looseObject({
  pattern: z.string(),
  action: z.enum(ACTIONS),
  shells: z.array(z.string()).nullish(),
  description: z.string().nullish(),
  enabled: z.boolean().nullish(),
});

const file = z.looseObject({ defaultAction: z.enum(ACTIONS).optional(), rules: z.array(rule).optional() });

export type Rules = z.output<typeof file>;
type Rule = z.output<typeof rule>;
type Action = (typeof ACTIONS)[number];

export function parseRules(value: unknown): Rules | undefined {
  const parsed = file.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** The shell that rules mean where a call names none; no shell runs anything here. */
const UNNAMED_SHELL = 'powershell';

/** A rule that forbids is for every shell. */
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

/** Where one command ends and another begins, or is put into the first. */
const SEPARATORS = /[;&|\n\r<>`(){}]|\$\(/;

/** What a shell on the command line is given to run. */
function payloadOf(argv: readonly string[]): string | undefined {
  const encoded = encodedCommand(argv);
  return encoded !== undefined && 'payload' in encoded ? encoded.payload : inlinePayload(argv);
}

/** Lines that run besides the whole one: what wrappers start, and each part of what a shell is given. */
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

/** Lines as whoever forbids `rm *` means them: by the names of programs, wherever those are and whatever links to them. */
const namedLines = (chain: Chain): string[] => [
  ...chain.links.flatMap(({ argv, executable: { found, path } }) =>
    [found, path].flatMap((each) =>
      [basename(each), programName(each)].map((name) => formatCommand([name, ...argv.slice(1)])),
    ),
  ),
  ...partsOf(chain).map((line) => line.replace(/^\S*[/\\]/, '')),
];

/** A rule that forbids all the rest means lines as they are: what was allowed by its path stays allowed. */
const rulesByName = ({ rules = [] }: Rules): Rules => ({
  rules: rules.filter(({ pattern }) => /[^*?\s]/.test(pattern)),
  defaultAction: 'allow',
});

/** A shell that is given nothing to run, or nothing that can be read. */
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
  hint: 'Change exec-policy.json in the state folder, or replace it by exec-approvals.json.',
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
  // What cannot be looked through, loads other files or gets variables is a person's to allow, each time.
  const isCovered = !setsVariables && !chain.isOpaque && onlyOnce === undefined;
  return isCovered && all.every(({ action }) => action === 'allow')
    ? { decision: 'allow', isStanding: true }
    : { decision: 'ask' };
}
