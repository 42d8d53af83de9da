/** What a gateway asks a person about, read from its events and its lists. */
import { isRecord } from '../../../../core/is-record.ts';
import { visible, visibleBlock } from '../../../../core/visible.ts';

/** A command that an agent would run, or something that a plugin of OpenClaw's wants to be asked about. */
export type ApprovalKind = 'exec' | 'plugin';

export const APPROVAL_KINDS: readonly ApprovalKind[] = ['exec', 'plugin'];

export interface Approval {
  readonly kind: ApprovalKind;
  readonly id: string;
  /** What it is needed for, where the gateway says it. */
  readonly runId: string | undefined;
  /** As the gateway calls the conversation. */
  readonly sessionKey: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** The most careful one last. */
  readonly decisions: readonly [...string[], string];
}

export type ApprovalNews =
  | { readonly kind: 'requested'; readonly approval: Approval }
  /** Somebody has decided, the time is over, or the run has ended. */
  | { readonly kind: 'resolved'; readonly id: string };

const EVENT = /^(exec|plugin)\.approval\.(requested|resolved)$/;

export function readApprovalNews(event: string, payload: unknown): ApprovalNews | undefined {
  const [, kind, what] = EVENT.exec(event) ?? [];
  if (kind === undefined) return undefined;
  if (what === 'requested') {
    const approval = readApproval(kind as ApprovalKind, payload);
    return approval && { kind: 'requested', approval };
  }
  const id = isRecord(payload) ? textIn(payload, 'id') : undefined;
  return id === undefined ? undefined : { kind: 'resolved', id };
}

/** `exec.approval.list` and `plugin.approval.list`. */
export const readApprovalList = (kind: ApprovalKind, list: unknown): readonly Approval[] =>
  Array.isArray(list) ? list.flatMap((each) => readApproval(kind, each) ?? []) : [];

function readApproval(kind: ApprovalKind, payload: unknown): Approval | undefined {
  if (!isRecord(payload) || !isRecord(payload['request'])) return undefined;
  const { request } = payload;
  const id = textIn(payload, 'id');
  if (id === undefined) return undefined;
  return {
    kind,
    id,
    runId: textIn(request, 'runId'),
    sessionKey: textIn(request, 'sessionKey'),
    decisions: decisionsIn(request),
    ...(kind === 'exec' ? commandIn(request) : actionIn(request)),
  };
}

type Fields = Readonly<Record<string, unknown>>;
type Words = Pick<Approval, 'title' | 'detail'>;

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Each on a line of its own. What the agent or a plugin has written comes last, so that nothing in it can pass for a
 * line of ours.
 */
function commandIn(request: Fields): Words {
  const machine = textIn(request, 'nodeId');
  return {
    title: 'OpenClaw: may this command run, once?',
    detail: [
      ...lineOf('Agent', textIn(request, 'agentId')),
      ...lineOf('Device', machine),
      ...lineOf('Folder', textIn(request, 'cwd')),
      ...warningsIn(request).flatMap((warning) => lineOf('Warning', warning)),
      ...lineOf('Command', textIn(request, 'command')),
    ].join('\n'),
  };
}

function actionIn(request: Fields): Words {
  return {
    title: `OpenClaw: ${visible(textIn(request, 'title') ?? 'may this tool run, once?')}`,
    detail: [
      ...lineOf('Agent', textIn(request, 'agentId')),
      ...lineOf('Plugin', textIn(request, 'pluginId')),
      ...lineOf('Tool', textIn(request, 'toolName')),
      ...['description', 'detail'].flatMap((name) => textIn(request, name) ?? []).map(visibleBlock),
    ].join('\n'),
  };
}

function warningsIn(request: Fields): readonly string[] {
  const analysis = request['commandAnalysis'];
  const found = isRecord(analysis) ? analysis['warningLines'] : undefined;
  const lines = Array.isArray(found) ? found.filter((line) => typeof line === 'string') : [];
  return [...(textIn(request, 'warningText') ?? '').split('\n'), ...lines];
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

/** A run as it is known here. */
export interface ApprovalRun {
  /** Of `chat.send`. */
  readonly runId: string;
  /** As the gateway calls the conversation. */
  sessionKey(): string;
}

export const isNeededBy = (
  run: ApprovalRun,
  { runId, sessionKey }: Pick<Approval, 'runId' | 'sessionKey'>,
): boolean => (runId === undefined ? sessionKey === run.sessionKey() : runId === run.runId);
