/** What a gateway asks a person about, read from its events and its lists. */
import { isRecord } from '../../../lib/is-record.ts';
import { visible, visibleBlock } from '../../../core/visible.ts';
import { textAt } from '../../../lib/text-at.ts';
import type { Asked, AskedNews } from './asked.ts';

/** A command that an agent would run, or something that a plugin of OpenClaw's wants to be asked about. */
export type ApprovalKind = 'exec' | 'plugin';

export const APPROVAL_KINDS: readonly ApprovalKind[] = ['exec', 'plugin'];

export interface Approval extends Asked {
  readonly kind: ApprovalKind;
  readonly title: string;
  readonly detail: string;
  /** The most careful one last. */
  readonly decisions: readonly [...string[], string];
}

const EVENT = /^(exec|plugin)\.approval\.(requested|resolved)$/;

export function readApprovalNews(event: string, payload: unknown): AskedNews<Approval> | undefined {
  const [, kind, what] = EVENT.exec(event) ?? [];
  if (kind === undefined) return undefined;
  if (what === 'requested') {
    const asked = readApproval(kind as ApprovalKind, payload);
    return asked && { kind: 'requested', asked };
  }
  const id = isRecord(payload) ? textAt(payload, 'id') : undefined;
  return id === undefined ? undefined : { kind: 'resolved', id };
}

/** `exec.approval.list` and `plugin.approval.list`. */
export const readApprovalList = (kind: ApprovalKind, list: unknown): readonly Approval[] =>
  Array.isArray(list) ? list.flatMap((each) => readApproval(kind, each) ?? []) : [];

function readApproval(kind: ApprovalKind, payload: unknown): Approval | undefined {
  if (!isRecord(payload) || !isRecord(payload['request'])) return undefined;
  const { request } = payload;
  const id = textAt(payload, 'id');
  if (id === undefined) return undefined;
  return {
    kind,
    id,
    runId: textAt(request, 'runId'),
    sessionKey: textAt(request, 'sessionKey'),
    decisions: decisionsIn(request),
    ...(kind === 'exec' ? commandIn(request) : actionIn(request)),
  };
}

type Fields = Readonly<Record<string, unknown>>;
type Words = Pick<Approval, 'title' | 'detail'>;

/**
 * Each on a line of its own. What the agent or a plugin has written comes last, so that nothing in it can pass for a
 * line of ours.
 */
function commandIn(request: Fields): Words {
  const machine = textAt(request, 'nodeId');
  return {
    title: 'OpenClaw: may this command run, once?',
    detail: [
      ...lineOf('Agent', textAt(request, 'agentId')),
      ...lineOf('Device', machine),
      ...lineOf('Folder', textAt(request, 'cwd')),
      ...warningsIn(request).flatMap((warning) => lineOf('Warning', warning)),
      ...lineOf('Command', textAt(request, 'command')),
    ].join('\n'),
  };
}

function actionIn(request: Fields): Words {
  return {
    title: `OpenClaw: ${visible(textAt(request, 'title') ?? 'may this tool run, once?')}`,
    detail: [
      ...lineOf('Agent', textAt(request, 'agentId')),
      ...lineOf('Plugin', textAt(request, 'pluginId')),
      ...lineOf('Tool', textAt(request, 'toolName')),
      ...['description', 'detail'].flatMap((name) => textAt(request, name) ?? []).map(visibleBlock),
    ].join('\n'),
  };
}

function warningsIn(request: Fields): readonly string[] {
  const analysis = request['commandAnalysis'];
  const found = isRecord(analysis) ? analysis['warningLines'] : undefined;
  const lines = Array.isArray(found) ? found.filter((line) => typeof line === 'string') : [];
  return [...(textAt(request, 'warningText') ?? '').split('\n'), ...lines];
}

const lineOf = (label: string, value: string | undefined): readonly string[] =>
  value === undefined || value.trim() === '' ? [] : [`${label}: ${visible(value)}`];

const ONCE = 'allow-once';
const DENY = 'deny';

/**
 * `allow-always` is left to OpenClaw's own ways: it changes what is asked about from then on, for everybody, and whoever
 * orders something through an MCP client does not configure OpenClaw by that. `deny` is always taken.
 */
function decisionsIn(request: Fields): Approval['decisions'] {
  const allowed = request['allowedDecisions'];
  return !Array.isArray(allowed) || allowed.includes(ONCE) ? [ONCE, DENY] : [DENY];
}
