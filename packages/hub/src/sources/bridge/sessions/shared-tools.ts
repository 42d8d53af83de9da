/** Most sessions of an app have the same tools: they are kept once. Nothing is shared between apps. */
import type { AppTool } from './session.ts';

type Tools = readonly AppTool[];

export interface SharedTools {
  /** Equal tools that this app has registered lately, or these. */
  share(app: string, tools: Tools): Tools;
  /** The app has no sessions left. */
  forget(app: string): void;
}

/** Lists of one app that are remembered: an app is in use in a few versions at once. */
export const REMEMBERED_LISTS = 8;

export function createSharedTools(): SharedTools {
  const byApp = new Map<string, Tools[]>();
  return {
    share(app, tools) {
      const recent = byApp.get(app) ?? [];
      const at = recent.findIndex((each) => areSameTools(each, tools));
      const [shared = tools] = at < 0 ? [] : recent.splice(at, 1);
      recent.unshift(shared);
      recent.length = Math.min(recent.length, REMEMBERED_LISTS);
      byApp.set(app, recent);
      return shared;
    },
    forget(app) {
      byApp.delete(app);
    },
  };
}

/**
 * Of what a store has read, where equal lists are one whosever they are: each app gets a list of its own. What is known of a
 * list, such as whose it is, is known of one app's.
 */
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
