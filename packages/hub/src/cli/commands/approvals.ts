/** `pincer approvals`: lists calls that wait for a person, and allows or denies them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalDecision } from '../../core/approvals/approvals.ts';
import type { OpenApproval } from '../../control/contract/people.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, findHubClient, openHub, type HubClient } from '../../control/client/hub-client.ts';
import { loadPolicy } from '../../device/exec/policy-file.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { confirm, isInteractive, openPerson, type Person } from '../terminal/person.ts';
import {
  isListedInFull,
  nextStep,
  renderApproval,
  renderApprovals,
  type ApprovalsOptions,
} from '../render/approvals.ts';
import { widthOfStream } from '../render/columns.ts';
import { styleFor } from '../terminal/style.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[show ID | allow ID … | deny ID …] [--yes] [--always] [--watch]',
  description:
    'Lists the calls that wait for your approval, shows one in full, allows it or denies it. An approval lets exactly one call run. The first characters of an id are enough.',
  arguments: [['[verb]', '', ['show', 'allow', 'deny']], '[ids...]'],
  options: {
    '--yes': 'allow without asking; the call is still printed in full',
    '--always': 'always allow the same program, arguments and folder (only for system.run)',
    '--watch': 'show new approvals as they arrive; on a terminal, answer them here',
  },
  run({ words: [verb, ids], flags: { yes: isYes, always, watch } }, context) {
    if (verb === 'show') return showApproval(ids, context);
    if (verb === undefined) return watch ? watchApprovals(context) : listApprovals(context);
    const decision = verb === 'allow' ? 'allowed' : 'denied';
    return decideApprovals({ decision, always, isYes }, ids, context);
  },
});

const WATCH_MS = 500;

const forStream = ({ home }: Context, stream: NodeJS.WriteStream): ApprovalsOptions => ({
  style: styleFor(stream),
  now: Date.now(),
  width: widthOfStream(stream),
  canAlways: loadPolicy(home).kind === 'approvals',
});

const forStdout = (context: Context): ApprovalsOptions => forStream(context, process.stdout);

const missingId = (): PincerError =>
  new PincerError('USAGE', 'The id of an approval is missing.', { hint: 'List them: pincer approvals' });

async function listApprovals(context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  const approvals = hub === undefined ? [] : await approvalsOf(hub);
  if (context.json) printJson({ ok: true, approvals });
  else print(renderApprovals(approvals, forStdout(context)));
  return EXIT.ok;
}

/** Shows one approval in full, open or decided. */
async function showApproval(ids: readonly string[], context: Context): Promise<ExitCode> {
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw missingId();
  const hub = findHubClient(context);
  const approval = findApproval(hub === undefined ? [] : await approvalsOf(hub), id);
  if (context.json) printJson({ ok: true, approval });
  else {
    print(renderApproval(approval, forStdout(context)));
    for (const line of nextStep(approval, id, forStdout(context))) note(`${line}\n`);
  }
  return EXIT.ok;
}

/** Finds an approval by its id or an unambiguous beginning of it. */
function findApproval(approvals: readonly OpenApproval[], id: string): OpenApproval {
  const found = approvals.filter((each) => each.id.startsWith(id));
  const only = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  const message =
    found.length === 0 ? `There is no approval "${id}".` : `Several approvals begin with "${id}".`;
  throw new PincerError('ARGUMENT_INVALID', message, {
    hint: 'List them with their ids: pincer approvals',
  });
}

interface DecideOptions {
  readonly decision: ApprovalDecision;
  /** Adds a rule that allows the same command from now on. */
  readonly always: boolean;
  /** Skips the confirmation. */
  readonly isYes: boolean;
}

async function decideApprovals(
  { decision, always, isYes }: DecideOptions,
  ids: readonly string[],
  context: Context,
): Promise<ExitCode> {
  if (ids.length === 0) throw missingId();
  if (always && decision === 'denied')
    throw new PincerError('USAGE', '--always works only with allow.', {
      hint: 'To always deny a command, set "device.policy" in the configuration.',
    });
  const hub = await openHub(context);
  const decided: OpenApproval[] = [];
  for (const id of ids) {
    if (decision === 'allowed' && !(await mayBeAllowed(hub, id, isYes, context))) continue;
    decided.push(await decide(hub, id, decision, always));
  }
  if (context.json) printJson({ ok: true, approvals: decided });
  else for (const approval of decided) print(`${sentence(approval, always)}\n`);
  return EXIT.ok;
}

/**
 * Shows the whole call before it is allowed, and on a terminal asks for confirmation: the id may come from a notice or a
 * model, which show less. A script may allow a call that the list shows in full; a longer one needs --yes.
 */
// oxlint-disable-next-line max-params -- one question
async function mayBeAllowed(hub: HubClient, id: string, isYes: boolean, context: Context): Promise<boolean> {
  const approval = findApproval(await approvalsOf(hub), id);
  // If it is already decided, the hub refuses.
  if (approval.state !== 'open') return true;
  const isAsked = !isYes && !context.json && isInteractive();
  if (!isYes && !isAsked && !isListedInFull(approval)) throw tooLongUnshown(approval);
  if (!context.json) note(renderApproval(approval, forStream(context, process.stderr)));
  if (!isAsked || (await confirm(question(approval), '--yes'))) return true;
  note('Left open.\n');
  return false;
}

const question = ({ arguments: shown }: OpenApproval): string =>
  `This is the whole call, with ${shown.length} characters of arguments. Let it run once?`;

const tooLongUnshown = ({ id, arguments: shown }: OpenApproval): PincerError =>
  new PincerError(
    'USAGE',
    `The call has ${shown.length} characters of arguments, and there is no terminal to show them on.`,
    {
      hint: `Read it in full: pincer approvals show ${id}. Then allow it: pincer approvals allow ${id} --yes`,
    },
  );

/** Shows new approvals as they arrive. On a terminal the person can answer them here. */
async function watchApprovals(context: Context): Promise<ExitCode> {
  if (context.json)
    throw new PincerError(
      'USAGE',
      '--json cannot be combined with --watch: it prints one document, and watching never ends.',
      {
        hint: 'Omit --watch.',
      },
    );
  const hub = await openHub(context);
  const seen = new Set<string>();
  using person = isInteractive() ? openPerson() : undefined;
  note('Waiting for approvals. Press Ctrl+C to stop.\n');
  for (;;) {
    for (const approval of await approvalsOf(hub)) {
      if (seen.has(approval.id) || approval.state !== 'open') continue;
      seen.add(approval.id);
      print(renderApproval(approval, forStdout(context)));
      if (person !== undefined && !(await answerHere(hub, approval, person))) return EXIT.ok;
    }
    await delay(WATCH_MS);
  }
}

/** Returns false if the input was closed. */
async function answerHere(hub: HubClient, { id }: OpenApproval, person: Person): Promise<boolean> {
  const answer = await person.ask('  [a]llow, [d]eny, or Enter for later: ');
  if (answer === undefined) return false;
  const decision = /^a/i.test(answer) ? 'allowed' : /^d/i.test(answer) ? 'denied' : undefined;
  if (decision === undefined) return true;
  try {
    print(`  ${sentence(await decide(hub, id, decision))}\n`);
  } catch (error) {
    // It was decided elsewhere, or the call has ended.
    print(`  ${visible(PincerError.from(error).message)}\n`);
  }
  return true;
}

const approvalsOf = (hub: HubClient): Promise<readonly OpenApproval[]> => ask(hub, 'GET approvals');

// oxlint-disable-next-line max-params -- one decision
const decide = (
  hub: HubClient,
  id: string,
  decision: ApprovalDecision,
  always = false,
): Promise<OpenApproval> =>
  ask(hub, 'POST approvals', { body: always ? { id, decision, always } : { id, decision } });

const sentence = (approval: OpenApproval, always = false): string => {
  const what = visible(`${approval.server}.${approval.tool} for ${approval.caller}`);
  if (approval.state !== 'allowed') return `${what} is denied.`;
  return always ? `${what} may run, now and every time it is the same.` : `${what} may run once.`;
};
