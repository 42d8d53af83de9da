/** What may be shown of what a server offers: its tools as they were accepted, and all of its texts made clean. */
import { canonicalDefinition } from './canonical-definition.ts';
import { cleanAbout, cleanDefinition, seenOf } from './clean-definition.ts';
import type { Definition } from '../catalog/definition.ts';
import type { Digest } from '../catalog/exposed-names.ts';
import type { Limits } from '../limits.ts';
import type { Offer } from '../catalog/offer.ts';
import { createPinBook, pinBytes, type Accepted, type PinStore, type Pins } from './pins.ts';
import type { ToolDefinition } from '../catalog/tool-definition.ts';
import type { ByteText } from '../wire/byte-text.ts';

export interface TrustedServer {
  readonly name: string;
  /** As that of a catalog: another command or address is another server. */
  readonly origin: string;
  /** `ask`: nothing is shown before a person accepts it. `pin`: first sight is accepted. `always`: nothing is checked. */
  readonly trust: 'ask' | 'pin' | 'always';
  readonly toolFilter: ToolFilter;
}

/** A tool that waits for a person. */
export interface HeldTool {
  readonly server: string;
  readonly tool: string;
  /** `lost`: what was accepted of its server may have been lost. */
  readonly why: 'changed' | 'new' | 'lost';
  /** Raw definitions. */
  readonly accepted: ByteText | undefined;
  readonly offered: ByteText;
  /** Of what is offered: whoever has looked at it accepts this and nothing that came after. */
  readonly digest: string;
}

export interface Trust {
  /** What may be shown of what a server offers: filtered, without withdrawn tools, cleaned. */
  review(server: TrustedServer, offer: Offer): Offer;
  /** Tools that wait for a person, of one server or of all. */
  held(server?: string): readonly HeldTool[];
  isHeld(server: string, tool: string): boolean;
  /**
   * Accepts what is offered now, of one tool or of all; gives back the names accepted. With `seen`, only what has one
   * of these digests: what has changed since a person looked at it is not what the person accepts. It is shown from the
   * next review on.
   */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
  /** The server is gone from the configuration. Its pins stay: when it comes back it is no stranger. */
  forget(server: string): void;
  /** Told of tools that were not held before. */
  onHeld(listener: (held: readonly HeldTool[]) => void): () => void;
}

interface TrustParts {
  readonly store: PinStore;
  readonly digest: Digest;
  now(): number;
  readonly limits: Pick<Limits, 'maxDescriptionChars' | 'maxCatalogBytes'>;
}

/**
 * First sight is accepted until the pins of a server are as large as so many full catalogs: one that invents new names
 * without end fills nobody's disk, and nothing that was accepted has to make room.
 */
const CATALOGS_AT_FIRST_SIGHT = 4;

interface Review {
  readonly server: TrustedServer;
  readonly held: ReadonlyMap<string, HeldTool>;
  readonly digests: Remembered<string>;
  readonly texts: Remembered<ByteText>;
}

export function createTrust({ store, digest, now, limits }: TrustParts): Trust {
  const book = createPinBook(store, now);
  const reviews = new Map<string, Review>();
  const listeners = new Set<(held: readonly HeldTool[]) => void>();
  const { maxDescriptionChars } = limits;

  function review(server: TrustedServer, offer: Offer): Offer {
    const before = reviews.get(server.name);
    const digests = remembering(before?.digests, (raw) => digest(canonicalDefinition(raw)));
    const texts = remembering(before?.texts, (raw) => cleanDefinition(raw, maxDescriptionChars));
    const offered = distinctTools(offer.tools).filter(({ name }) => passesFilter(server.toolFilter, name));
    const waiting = server.trust === 'always' ? [] : check(server, offered, digests.of);
    const held = new Map(waiting.map((each) => [each.tool, each]));
    reviews.set(server.name, { server, held, digests, texts });
    const heldBefore = before?.server.origin === server.origin ? before.held : undefined;
    tell(waiting.filter(({ tool }) => heldBefore?.has(tool) !== true));
    const clean = <D extends Definition>(definitions: readonly D[]): readonly D[] =>
      definitions.map((definition) => withRaw(definition, texts.of(definition.raw)));
    return {
      about: cleanAbout(offer.about, maxDescriptionChars),
      tools: clean(offered.filter(({ name }) => !held.has(name))),
      withheld: offered.filter(({ name }) => held.has(name)),
      prompts: clean(offer.prompts),
      resources: clean(offer.resources),
      templates: clean(offer.templates),
    };
  }

  /** Pins what is seen first, where that is enough; gives back what has to wait. */
  function check(
    { name: server, origin, trust }: TrustedServer,
    offered: readonly ToolDefinition[],
    digestOf: (raw: ByteText) => string,
  ): HeldTool[] {
    const pins = book.of(server, origin);
    const held: HeldTool[] = [];
    const fresh: Accepted[] = [];
    const known: Accepted[] = [];
    const isDoubted = book.isDoubted(server, origin);
    let room = trust === 'pin' && !isDoubted ? roomFor(pins) : 0;
    for (const { name: tool, raw } of offered) {
      const pin = pins.find(tool);
      if (pin?.definition === raw) continue;
      const found = digestOf(raw);
      if (pin?.digest === found) {
        // Put back after a loss, without what only people read.
        if (pin.definition === '') known.push({ tool, digest: found, definition: raw });
        continue;
      }
      if (pin === undefined && pinBytes(raw) <= room) {
        room -= pinBytes(raw);
        fresh.push({ tool, digest: found, definition: raw });
        continue;
      }
      const why = pin !== undefined ? 'changed' : isDoubted ? 'lost' : 'new';
      held.push({ server, tool, why, accepted: pin?.definition || undefined, offered: raw, digest: found });
    }
    if (fresh.length + known.length === 0 || isSaved(pins, [...fresh, ...known])) return held;
    // What could not be noted down would be first sight again after a restart.
    const unsaved = fresh.map(({ tool, digest, definition }) => ({ tool, digest, offered: definition }));
    return [
      ...held,
      ...unsaved.map((each) => ({ ...each, server, why: 'new' as const, accepted: undefined })),
    ];
  }

  /** The store tells people why, where it cannot. */
  function isSaved(pins: Pins, accepted: readonly Accepted[]): boolean {
    try {
      pins.save(accepted);
      return true;
    } catch {
      return false;
    }
  }

  const roomFor = (pins: Pins): number => CATALOGS_AT_FIRST_SIGHT * limits.maxCatalogBytes - pins.bytes;

  function tell(held: readonly HeldTool[]): void {
    if (held.length > 0) for (const listener of listeners) listener(held);
  }

  return {
    review,
    held: (server) =>
      [...reviews.values()].flatMap((each) =>
        (server ?? each.server.name) === each.server.name ? [...each.held.values()] : [],
      ),
    isHeld: (server, tool) => reviews.get(server)?.held.has(tool) === true,
    accept(name, tool, seen) {
      const found = reviews.get(name);
      if (found === undefined) return [];
      const accepted = [...found.held.values()].filter(
        (each) => (tool ?? each.tool) === each.tool && (seen === undefined || seen.has(each.digest)),
      );
      book
        .of(name, found.server.origin)
        .save(accepted.map(({ tool, digest, offered }) => ({ tool, digest, definition: offered })));
      if (accepted.length === found.held.size) book.settle(name);
      return accepted.map((each) => each.tool);
    },
    forget: (server) => void reviews.delete(server),
    onHeld(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Cleaning changes texts alone, and nothing else of a definition was read from them. */
const withRaw = <D extends Definition>(definition: D, raw: ByteText): D =>
  raw === definition.raw ? definition : { ...definition, raw };

/**
 * The tools of one server that can be told apart. Of one name that is there twice, the first counts. A name that looks
 * like another one, because what makes the difference cannot be seen, is left out; so is one with half of a character,
 * which could not be kept as it is.
 */
export function distinctTools<D extends Definition>(tools: readonly D[]): readonly D[] {
  const plain = new Set(tools.map(({ name }) => name).filter((name) => seenOf(name) === name));
  const taken = new Set<string>();
  return tools.filter(({ name }) => {
    const seen = seenOf(name);
    if (!name.isWellFormed() || taken.has(seen) || (seen !== name && plain.has(seen))) return false;
    taken.add(seen);
    return true;
  });
}

/** What was made of some texts. */
export interface Remembered<T> {
  readonly kept: ReadonlyMap<string, T>;
  of(text: string): T;
}

/** Made anew only where it was not made the last time. What is no longer asked for is forgotten with the time before. */
export function remembering<T>(last: Remembered<T> | undefined, make: (text: string) => T): Remembered<T> {
  const kept = new Map<string, T>();
  // Not `last` itself: each would keep the one before it alive, back to the first.
  const before = last?.kept;
  return {
    kept,
    of(text) {
      const known = kept.get(text) ?? before?.get(text) ?? make(text);
      kept.set(text, known);
      return known;
    },
  };
}

interface ToolFilter {
  /** Absent: all. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** What is excluded is excluded, even if it is included. */
export const passesFilter = ({ include, exclude }: ToolFilter, tool: string): boolean =>
  (include === undefined || include.some((pattern) => fits(pattern, tool))) &&
  !exclude?.some((pattern) => fits(pattern, tool));

/** A `*` stands for any characters, or none. */
function fits(pattern: string, name: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0]!;
  if (pieces.length === 1) return name === pattern;
  const last = pieces.at(-1)!;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
