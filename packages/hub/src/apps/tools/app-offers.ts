/** What each app offers as a whole, where all of its sessions are one server: on `/mcp`. */
import { EMPTY_OFFER, type Offer } from '../../../core/catalog/offer.ts';
import { parseToolDefinition, type ToolDefinition } from '../../../core/catalog/tool-definition.ts';
import type { Limits } from '../../../core/limits.ts';
import { toToolDefinition } from '../registration/tool-definition.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { AppTool, Session } from '../sessions/session.ts';
import { ABOUT_APPS } from './about-apps.ts';

export interface AppOffersParts {
  readonly book: Pick<SessionBook, 'of' | 'onChange'>;
  readonly limits: Pick<Limits, 'bridgeGraceMs' | 'maxToolsPerApp' | 'maxCatalogBytes'>;
  /** The apps that others can be granted. */
  names(): readonly string[];
  publish(app: string, offer: Offer): void;
}

/** Changes within this time count as one. */
const GATHER_MS = 50;
/** To show what an app offers takes long where it is much. It takes at most this part of the time, for all apps together. */
const SHARE_OF_TIME = 1 / 10;
/** After so long, the others wait for their turn. */
const MAX_TURN_MS = 10;

export function createAppOffers({ book, limits, names, publish }: AppOffersParts): { stop(): void } {
  /** Those whose offer has changed, the one that waits longest first. */
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restUntil = 0;
  /** Sessions whose bridge has just gone, with the timers that end their grace. */
  const missed = new Map<string, NodeJS.Timeout>();

  const isNamed = (app: string): boolean => names().includes(app);
  const isThere = ({ id, bridge }: Session): boolean => bridge !== undefined || missed.has(id);

  function renew(): void {
    timer = undefined;
    const begun = performance.now();
    for (const app of due) {
      due.delete(app);
      if (isNamed(app)) publish(app, offerOf(book.of(app).filter(isThere), limits));
      if (performance.now() - begun > MAX_TURN_MS) break;
    }
    const ended = performance.now();
    restUntil = ended + (ended - begun) / SHARE_OF_TIME;
    if (due.size > 0) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(renew, Math.max(GATHER_MS, restUntil - performance.now())).unref();
  }

  function renewSoon(app: string): void {
    due.add(app);
    schedule();
  }

  function forgive(id: string): void {
    clearTimeout(missed.get(id));
    missed.delete(id);
  }

  const stopListening = book.onChange(({ kind, session: { id, app } }) => {
    if (!isNamed(app) || kind === 'created') return;
    if (kind === 'detached') {
      // An app that is reloaded is back within this time: its tools stay meanwhile.
      const grace = setTimeout(() => {
        missed.delete(id);
        renewSoon(app);
      }, limits.bridgeGraceMs);
      missed.set(id, grace.unref());
    } else forgive(id);
    renewSoon(app);
  });

  // What apps offered before the hub was started again is shown for as long as they may take to come back.
  const begin = setTimeout(() => {
    for (const app of names()) renewSoon(app);
  }, limits.bridgeGraceMs).unref();

  return {
    stop() {
      stopListening();
      clearTimeout(begin);
      clearTimeout(timer);
      for (const each of missed.values()) clearTimeout(each);
    },
  };
}

/**
 * Where sessions differ in a tool, that of the bridge which came last is shown, and called. No model reads more than so many:
 * the sessions of an app could have a hundred thousand different ones.
 */
export function offerOf(
  sessions: readonly Session[],
  { maxToolsPerApp, maxCatalogBytes }: Pick<Limits, 'maxToolsPerApp' | 'maxCatalogBytes'>,
): Offer {
  const tools = new Map<string, ToolDefinition>();
  const seen = new Set<readonly AppTool[]>();
  let bytes = 0;
  for (const { tools: own } of byLatest(sessions)) {
    if (seen.has(own)) continue;
    seen.add(own);
    for (const tool of own) {
      const definition = tools.has(tool.name) ? undefined : definitionOf(tool);
      if (definition === undefined) continue;
      bytes += definition.raw.length;
      if (tools.size >= maxToolsPerApp || bytes > maxCatalogBytes) return offering(tools);
      tools.set(tool.name, definition);
    }
  }
  return offering(tools);
}

const offering = (tools: ReadonlyMap<string, ToolDefinition>): Offer => ({
  ...EMPTY_OFFER,
  about: ABOUT_APPS,
  tools: [...tools.values()],
});

/** Those that are connected first: what is shown of a tool has to be true of the session that is called. */
export const byLatest = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted(
    (a, b) => Number(b.bridge !== undefined) - Number(a.bridge !== undefined) || b.attachedAs - a.attachedAs,
  );

const definitionOf = (tool: AppTool): ToolDefinition | undefined =>
  parseToolDefinition(toToolDefinition(tool), 'modern');
