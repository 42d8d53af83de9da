/** Keeps equal lists of tools of one app once: most of its sessions have the same. Apps share nothing. */
import type { AppTool } from './session-directory.ts';

type Tools = readonly AppTool[];

export interface ToolLists {
  /** Equal tools that this app has registered lately, or these. Each use is to be given back by `release`. */
  share(app: string, tools: Tools): Tools;
  release(app: string, tools: Tools): void;
  /** Bytes of all lists of the app that are in use, and of these where they would be another one. */
  bytesWith(app: string, tools: Tools): number;
}

/** Lists of one app that are remembered: an app is in use in a few versions at once. */
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
