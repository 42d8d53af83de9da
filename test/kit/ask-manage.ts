/** Sends `/mcp` commands, by default as the owner, with a fixed clock. */
import type { HubClient } from 'pincer/client';
import {
  createManage,
  type ManageParts,
  type ManageRequest,
} from '../../packages/openclaw-plugin/src/manage/manage.ts';

export const NOW = 1_800_000_000_000;

export const manageOf = (hub: HubClient, parts: Partial<ManageParts> = {}) =>
  createManage({
    hub: () => Promise.resolve(hub),
    notices: () => [],
    entries: () => undefined,
    settle: () => Promise.resolve([]),
    now: () => NOW,
    ...parts,
  });

export const asker =
  (hub: HubClient, parts: Partial<ManageParts> = {}) =>
  (text: string, who: Partial<ManageRequest> = {}): Promise<string> =>
    manageOf(hub, parts)({ text, mayChange: true, by: 'command', ...who });

/** The lines of the code block in the reply. */
export const linesOf = (text: string): string[] => /^```\n([\s\S]*?)\n```/.exec(text)![1]!.split('\n');

/** A tool that is held because its description changed. */
export const held = (tool: string, digest: string, after = 'Searches.'): object => ({
  server: 'docs',
  tool,
  why: 'changed',
  digest,
  changes: [{ path: 'description', before: 'Finds.', after }],
});
