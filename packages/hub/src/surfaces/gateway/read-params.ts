/**
 * The parameters of a command as the gateway sends them: arguments, and among those of `system.run` also what the gateway itself says
 * of the run. Nothing of the latter reaches the command as an argument, where an MCP client could write the same.
 */
import type { OpenClawWord } from '../../core/caller.ts';
import { isRecord } from '../../core/is-record.ts';
import { textAt } from '../../core/text-at.ts';
import { parseBytes, toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { DuplicateKeyError, isObject, readMembers, writeMembers } from '../../core/wire/members.ts';

export type ReadParams =
  | { readonly arguments: ByteText; readonly word: OpenClawWord }
  /** What is wrong with them. */
  | { readonly mistake: string };

/** OpenClaw 2026.9.6 puts these into `system.run` (`pickSystemRunParams` and what an approval adds). */
const OF_THE_RUN = [
  'approved',
  'approvalDecision',
  'approvalSource',
  'runId',
  'systemRunPlan',
  'agentId',
  'sessionKey',
  'suppressNotifyOnExit',
  'needsScreenRecording',
  'turnSourceChannel',
  'turnSourceTo',
  'turnSourceAccountId',
  'turnSourceThreadId',
] as const;

export function readParams(command: string, paramsJSON: string, session: string | undefined): ReadParams {
  const bytes = toByteText(paramsJSON);
  try {
    const params = parseBytes(bytes);
    if (params === null) return { arguments: '{}', word: { session } };
    if (!isRecord(params) || !isObject(bytes)) return { mistake: 'The parameters are no object.' };
    const members = readMembers(bytes);
    // Whom a run is for is part of its plan; nothing is decided by it here.
    if (command === 'system.run.prepare') return { arguments: bytes, word: speaker(params, session) };
    if (command !== 'system.run') return { arguments: bytes, word: { session } };
    const approved = approvalIn(params);
    if (approved === 'mismatch') return { mistake: 'explicit approval requires matching systemRunPlan' };
    const stripped = writeMembers(
      members.filter(({ key }) => !(OF_THE_RUN as readonly string[]).includes(key)),
    );
    return { arguments: stripped, word: { ...speaker(params, session), approved } };
  } catch (error) {
    return { mistake: error instanceof DuplicateKeyError ? error.message : 'The parameters are not JSON.' };
  }
}

type Params = Readonly<Record<string, unknown>>;

const speaker = (params: Params, session: string | undefined): OpenClawWord => ({
  agent: textAt(params, 'agentId'),
  session: session ?? textAt(params, 'sessionKey'),
});

/**
 * A person's word on exactly this: the plan that they were shown has the same words, place, agent and conversation. What a model
 * has reviewed, or what nobody has answered (`approvalSource`), is not a person's word.
 */
function approvalIn(params: Params): OpenClawWord['approved'] | 'mismatch' {
  const decision = decisionIn(params);
  if (decision === undefined) return undefined;
  const plan = params['systemRunPlan'];
  const isSame = (key: string): boolean =>
    isRecord(plan) && (textAt(plan, key) ?? undefined) === (textAt(params, key) ?? undefined);
  const hasSameWords = isRecord(plan) && JSON.stringify(plan['argv']) === JSON.stringify(params['command']);
  if (!hasSameWords || !isSame('cwd') || !isSame('agentId') || !isSame('sessionKey')) return 'mismatch';
  return decision;
}

function decisionIn({ approved, approvalDecision, approvalSource }: Params): OpenClawWord['approved'] {
  if (approvalSource !== undefined || (approved !== undefined && approved !== true)) return undefined;
  if (approvalDecision === 'allow-once' || approvalDecision === 'allow-always') return approvalDecision;
  return approved === true && approvalDecision === undefined ? 'allow-once' : undefined;
}
