/** What apps have registered. Most sessions of an app have the same tools: a list that many have is kept once. */
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { StoredAppTool } from '../core/ports.ts';

type Tools = readonly StoredAppTool[];

export interface AppToolLists {
  /** Lists that are not what was written are left out. Equal ones are one. */
  load(): ReadonlyMap<string, Tools>;
  digestOf(tools: Tools): string;
  /** Writes it where it is not there yet; part of a transaction. */
  keep(tools: Tools): void;
  /** Removes it where no session has it any more; part of a transaction. */
  release(digest: string): void;
}

export function appToolLists(db: DatabaseSync): AppToolLists {
  const select = db.prepare('SELECT digest, tools FROM app_tool_lists');
  const find = db.prepare('SELECT 1 FROM app_tool_lists WHERE digest = ?');
  const insert = db.prepare('INSERT INTO app_tool_lists (digest, tools) VALUES (?, ?)');
  const remove = db.prepare(
    'DELETE FROM app_tool_lists WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM app_sessions WHERE tools = ?1)',
  );
  /** A list comes back with each bridge of its session: it is not written out to find that nothing has changed. */
  const digests = new WeakMap<Tools, string>();

  function digestOf(tools: Tools): string {
    const known = digests.get(tools);
    if (known !== undefined) return known;
    const digest = sha256(pack(tools));
    digests.set(tools, digest);
    return digest;
  }

  return {
    load() {
      const lists = new Map<string, Tools>();
      for (const row of select.iterate()) {
        const { digest, tools: bytes } = row as { digest: string; tools: Uint8Array };
        if (sha256(bytes) !== digest) continue;
        const tools = unpack(bytes);
        digests.set(tools, digest);
        lists.set(digest, tools);
      }
      return lists;
    },
    digestOf,
    keep(tools) {
      const digest = digestOf(tools);
      if (find.get(digest) === undefined) insert.run(digest, pack(tools));
    },
    release(digest) {
      remove.run(digest);
    },
  };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');

/** JSON in UTF-8. A ByteText is a text like any other there, and comes back as it was. */
const pack = (tools: Tools): Buffer => Buffer.from(JSON.stringify(tools.map(inOrder)), 'utf8');

const unpack = (bytes: Uint8Array): Tools =>
  (JSON.parse(new TextDecoder().decode(bytes)) as Tools).map(inOrder);

/** Equal tools are equal bytes. */
const inOrder = (tool: StoredAppTool): StoredAppTool => ({
  name: tool.name,
  path: tool.path,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  outputSchema: tool.outputSchema,
  annotations: tool.annotations,
});
