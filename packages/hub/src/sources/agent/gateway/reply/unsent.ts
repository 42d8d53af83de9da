/** Files that an agent has named and OpenClaw has not sent. Only the history of the conversation tells of them. */
import { isRecord } from '../../../../core/is-record.ts';
import { textAt } from '../../../../core/text-at.ts';
import { readRun } from '../turn/history.ts';
import type { GatewaySocket } from '../../../../openclaw/socket.ts';
import type { RunName } from '../turn/turn-end.ts';

export interface Unsent {
  readonly name: string;
  readonly mimeType: string | undefined;
  /** As the end of a sentence. */
  readonly why: string;
}

const REASONS: Readonly<Record<string, string>> = {
  'file-not-found': 'there is no such file',
  'unsupported-format': 'OpenClaw does not send files of this kind',
};
const NO_REASON = 'OpenClaw has not sent it';

export async function readUnsent(socket: GatewaySocket, run: RunName): Promise<readonly Unsent[]> {
  const rows = await readRun(socket, run);
  return rows.flatMap(({ content }) => (Array.isArray(content) ? content.flatMap(unsentIn) : []));
}

function unsentIn(block: unknown): Unsent[] {
  if (!isRecord(block) || block['type'] !== 'attachment_error' || !isRecord(block['attachment'])) return [];
  const { attachment } = block;
  const name = textAt(attachment, 'label') ?? 'a file';
  const why = REASONS[textAt(attachment, 'code') ?? ''] ?? NO_REASON;
  return [{ name, mimeType: textAt(attachment, 'mimeType'), why }];
}

export const unsentWithoutReason = (name: string): Unsent => ({ name, mimeType: undefined, why: NO_REASON });
