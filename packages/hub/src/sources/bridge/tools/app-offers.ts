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
  readonly limits: Pick<Limits, 'bridgeGraceMs' | 'maxToolsPerServer' | 'maxCatalogBytes'>;
  /** The apps that others can be granted. */
  names(): readonly string[];
  publish(app: string, offer: Offer): void;
}

/** Changes within this time count as one. */
const GATHER_MS = 50;

export function createAppOffers({ book, limits, names, publish }: AppOffersParts): { stop(): void } {
  const due = new Map<string, NodeJS.Timeout>();
  /** Sessions whose bridge has just gone, with the timers that end their grace. */
  const missed = new Map<string, NodeJS.Timeout>();

  const isNamed = (app: string): boolean => names().includes(app);
  const isThere = ({ id, bridge }: Session): boolean => bridge !== undefined || missed.has(id);

  function renew(app: string): void {
    due.delete(app);
    if (isNamed(app)) publish(app, offerOf(book.of(app).filter(isThere), limits));
  }

  function renewSoon(app: string): void {
    if (!due.has(app)) due.set(app, setTimeout(renew, GATHER_MS, app).unref());
  }

  function forgive(id: string): void {
    clearTimeout(missed.get(id));
    missed.delete(id);
  }

  const stopListening = book.onChange(({ kind, session: { id, app } }) => {
    if (!isNamed(app) || kind === 'created') return;
    if (kind === 'detached') {
      // An app that is reloaded is back within this time: its tools stay meanwhile.
      const timer = setTimeout(() => {
        missed.delete(id);
        renewSoon(app);
      }, limits.bridgeGraceMs);
      missed.set(id, timer.unref());
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
      for (const timer of [...due.values(), ...missed.values()]) clearTimeout(timer);
    },
  };
}

/**
 * Where sessions differ in a tool, that of the bridge which came last is shown, and called. As much as a server may offer,
 * and no more: ten thousand sessions could have ten thousand different ones.
 */
export function offerOf(
  sessions: readonly Session[],
  { maxToolsPerServer, maxCatalogBytes }: Pick<Limits, 'maxToolsPerServer' | 'maxCatalogBytes'>,
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
      if (tools.size >= maxToolsPerServer || bytes > maxCatalogBytes) return offering(tools);
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
