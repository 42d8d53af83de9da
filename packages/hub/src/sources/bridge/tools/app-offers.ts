/** What each app offers as a whole, where all of its sessions are one server: on `/mcp`. */
import { EMPTY_OFFER, type Offer } from '../../../core/catalog/offer.ts';
import type { ToolDefinition } from '../../../core/catalog/tool-definition.ts';
import { parseToolDefinition } from '../../../core/catalog/tool-definition.ts';
import { toToolDefinition } from '../registration/tool-definition.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { AppTool, Session } from '../sessions/session.ts';
import { ABOUT_APPS } from './about-apps.ts';

export interface AppOffersParts {
  readonly book: Pick<SessionBook, 'of' | 'onChange'>;
  /** An app that is reloaded is back within this time: its tools stay meanwhile. */
  readonly graceMs: number;
  /** Whether the app is one that others can be granted. */
  isNamed(app: string): boolean;
  publish(app: string, offer: Offer): void;
}

/** Changes of this long are one change. */
const GATHER_MS = 50;

export function createAppOffers({ book, graceMs, isNamed, publish }: AppOffersParts): { stop(): void } {
  const due = new Map<string, NodeJS.Timeout>();
  /** Sessions whose bridge has just gone, with the timers that end their grace. */
  const missed = new Map<string, NodeJS.Timeout>();

  const isThere = ({ id, bridge }: Session): boolean => bridge !== undefined || missed.has(id);

  function renew(app: string): void {
    due.delete(app);
    if (isNamed(app)) publish(app, offerOf(book.of(app).filter(isThere)));
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
      const timer = setTimeout(() => {
        missed.delete(id);
        renewSoon(app);
      }, graceMs);
      missed.set(id, timer.unref());
      return;
    }
    forgive(id);
    renewSoon(app);
  });

  return {
    stop() {
      stopListening();
      for (const timer of [...due.values(), ...missed.values()]) clearTimeout(timer);
    },
  };
}

/** Where sessions differ in a tool, that of the bridge which came last is shown, and called. */
export function offerOf(sessions: readonly Session[]): Offer {
  const tools = new Map<string, AppTool>();
  const seen = new Set<readonly AppTool[]>();
  for (const { tools: own } of byLatest(sessions)) {
    if (seen.has(own)) continue;
    seen.add(own);
    for (const tool of own) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return { ...EMPTY_OFFER, about: ABOUT_APPS, tools: [...tools.values()].flatMap(definitionOf) };
}

export const byLatest = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted((a, b) => b.attachedAs - a.attachedAs);

function definitionOf(tool: AppTool): readonly ToolDefinition[] {
  const definition = parseToolDefinition(toToolDefinition(tool), 'modern');
  return definition === undefined ? [] : [definition];
}
