/** `pincer approvals`: calls that wait for a person. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalDecision, OpenApproval } from '../../core/approvals/approvals.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, findHubClient, openHub, type HubClient } from '../../client/hub-client.ts';
import { loadPolicy } from '../../sources/device/exec/policy/load-policy.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { isSomebodyThere, openPerson, type Person } from '../terminal/person.ts';
import { nextStep, renderApproval, renderApprovals, type ApprovalsOptions } from '../render/approvals.ts';
import { widthOfStream } from '../render/columns.ts';
import { styleFor } from '../terminal/style.ts';

const WATCH_MS = 500;

const forStdout = ({ home }: Context): ApprovalsOptions => ({
  style: styleFor(process.stdout),
  now: Date.now(),
  width: widthOfStream(process.stdout),
  canAlways: loadPolicy(home).kind === 'approvals',
});

const whichOne = (): PincerError =>
  new PincerError('USAGE', 'Which one?', { hint: '`pincer approvals` lists them with their ids.' });

export async function listApprovals(context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  const approvals = hub === undefined ? [] : await approvalsOf(hub);
  if (context.json) printJson({ ok: true, approvals });
  else print(renderApprovals(approvals, forStdout(context)));
  return EXIT.ok;
}

/** All of one question, open or decided. */
export async function showApproval(ids: readonly string[], context: Context): Promise<ExitCode> {
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw whichOne();
  const hub = findHubClient(context);
  const approval = findApproval(hub === undefined ? [] : await approvalsOf(hub), id);
  if (context.json) printJson({ ok: true, approval });
  else {
    print(renderApproval(approval, forStdout(context)));
    for (const line of nextStep(approval, id, forStdout(context))) note(`${line}\n`);
  }
  return EXIT.ok;
}

/** Of this id, or the only one that begins so. */
function findApproval(approvals: readonly OpenApproval[], id: string): OpenApproval {
  const found = approvals.filter((each) => each.id.startsWith(id));
  const only = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  const message =
    found.length === 0 ? `There is no approval "${id}".` : `Several approvals begin with "${id}".`;
  throw new PincerError('ARGUMENT_INVALID', message, {
    hint: '`pincer approvals` lists them with their ids.',
  });
}

export interface DecideOptions {
  readonly decision: ApprovalDecision;
  /** Not only this once. */
  readonly always: boolean;
}

export async function decideApprovals(
  { decision, always }: DecideOptions,
  ids: readonly string[],
  context: Context,
): Promise<ExitCode> {
  if (ids.length === 0) throw whichOne();
  if (always && decision === 'denied')
    throw new PincerError('USAGE', '--always goes with allow.', {
      hint: 'What is never to run is denied by "device.policy".',
    });
  const hub = await openHub(context);
  const decided: OpenApproval[] = [];
  for (const id of ids) decided.push(await decide(hub, id, decision, always));
  if (context.json) printJson({ ok: true, approvals: decided });
  else for (const approval of decided) print(`${sentence(approval, always)}\n`);
  return EXIT.ok;
}

/** Follows the questions as they come; on a terminal they can be answered here. */
export async function watchApprovals(context: Context): Promise<ExitCode> {
  if (context.json)
    throw new PincerError('USAGE', '--json is one document, which never ends while questions are followed.', {
      hint: 'Leave out --watch.',
    });
  const hub = await openHub(context);
  const seen = new Set<string>();
  using person = isSomebodyThere() ? openPerson() : undefined;
  note('Waiting for questions; Ctrl+C ends this.\n');
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

/** False when the person has gone. */
async function answerHere(hub: HubClient, { id }: OpenApproval, person: Person): Promise<boolean> {
  const answer = await person.ask('  [a]llow, [d]eny, or Enter for later: ');
  if (answer === undefined) return false;
  const decision = /^a/i.test(answer) ? 'allowed' : /^d/i.test(answer) ? 'denied' : undefined;
  if (decision === undefined) return true;
  try {
    print(`  ${sentence(await decide(hub, id, decision))}\n`);
  } catch (error) {
    // Somebody else was faster, or the call has gone.
    print(`  ${visible(PincerError.from(error).message)}\n`);
  }
  return true;
}

const approvalsOf = (hub: HubClient): Promise<OpenApproval[]> => ask<OpenApproval[]>(hub, 'GET approvals');

// oxlint-disable-next-line max-params -- one decision
const decide = (
  hub: HubClient,
  id: string,
  decision: ApprovalDecision,
  always = false,
): Promise<OpenApproval> =>
  ask<OpenApproval>(hub, 'POST approvals', { body: always ? { id, decision, always } : { id, decision } });

const sentence = (approval: OpenApproval, always = false): string => {
  const what = visible(`${approval.server}.${approval.tool} for ${approval.caller}`);
  if (approval.state !== 'allowed') return `${what} is denied.`;
  return always ? `${what} may run, now and whenever it is the same.` : `${what} may run, once.`;
};
