/** Stores equal tool lists of one app once, because most of its sessions have the same. Lists are never shared between apps. */
import type { AppTool } from './session-directory.ts';

type Tools = readonly AppTool[];

export interface ToolLists {
  /** Returns an equal list that this app registered lately, or this one. End each use with `release`. */
  share(app: string, tools: Tools): Tools;
  release(app: string, tools: Tools): void;
  /** Bytes of all lists of the app that are in use, plus these tools unless they are already among them. */
  bytesWith(app: string, tools: Tools): number;
}

/** How many lists of one app are remembered: usually a few versions of an app are in use. */
export const REMEMBERED_LISTS = 8;

interface Lists {
  readonly recent: Tools[];
  readonly uses: Map<Tools, number>;
  bytes: number;
}

export function createToolLists(): ToolLists {
  const byApp = new Map<string, Lists>();
  const findIn = (lists: Lists | undefined, tools: Tools): Tools | undefined =>
    lists?.recent.find((each) => areSameTools(each, tools));

  return {
    share(app, tools) {
      const lists: Lists = byApp.get(app) ?? { recent: [], uses: new Map(), bytes: 0 };
      byApp.set(app, lists);
      const { recent, uses } = lists;
      const shared = findIn(lists, tools) ?? tools;
      if (recent.includes(shared)) recent.splice(recent.indexOf(shared), 1);
      recent.unshift(shared);
      recent.length = Math.min(recent.length, REMEMBERED_LISTS);
      const before = uses.get(shared) ?? 0;
      if (before === 0) lists.bytes += bytesOf(shared);
      uses.set(shared, before + 1);
      return shared;
    },
    release(app, tools) {
      const lists = byApp.get(app);
      const left = (lists?.uses.get(tools) ?? 0) - 1;
      if (lists === undefined || left < 0) return;
      if (left > 0) return void lists.uses.set(tools, left);
      lists.uses.delete(tools);
      lists.bytes -= bytesOf(tools);
      if (lists.uses.size === 0) byApp.delete(app);
    },
    bytesWith(app, tools) {
      const lists = byApp.get(app);
      const shared = findIn(lists, tools);
      const isInUse = shared !== undefined && lists?.uses.has(shared) === true;
      return (lists?.bytes ?? 0) + (isInUse ? 0 : bytesOf(tools));
    },
  };
}

const bytesOf = (tools: Tools): number =>
  tools.reduce((sum, tool) => sum + FIELDS.reduce((all, field) => all + (tool[field]?.length ?? 0), 0), 0);

/** Copies lists that a store has shared between apps, so that each app has lists of its own. */
export function createOwnLists(): (app: string, tools: Tools) => Tools {
  const owners = new Map<Tools, Map<string, Tools>>();
  return (app, tools) => {
    const lists = owners.get(tools);
    if (lists === undefined) {
      owners.set(tools, new Map([[app, tools]]));
      return tools;
    }
    const own = lists.get(app) ?? [...tools];
    lists.set(app, own);
    return own;
  };
}

/** In the same order. */
export const areSameTools = (a: Tools, b: Tools): boolean =>
  a === b || (a.length === b.length && a.every((tool, at) => isSameTool(tool, b[at]!)));

const FIELDS: readonly (keyof AppTool)[] = [
  'name',
  'path',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
];

const isSameTool = (a: AppTool, b: AppTool): boolean => FIELDS.every((field) => a[field] === b[field]);
