/** Decides which part of an offer is listed: accepted tools, with all texts cleaned. */
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
  /** As in a catalog: another command or address is another server. */
  readonly origin: string;
  /** `ask`: a person must accept each tool. `pin`: tools are accepted on first sight. `always`: nothing is checked. */
  readonly trust: 'ask' | 'pin' | 'always';
  readonly toolFilter: ToolFilter;
}

/** A tool that waits for a person. */
export interface HeldTool {
  readonly server: string;
  readonly tool: string;
  /** `lost`: the server's pins may have been lost. */
  readonly why: 'changed' | 'new' | 'lost';
  /** Raw definitions. */
  readonly accepted: ByteText | undefined;
  readonly offered: ByteText;
  /** Digest of the offered definition. A person accepts exactly this one and nothing that came later. */
  readonly digest: string;
}

export interface Trust {
  /** The part of an offer that may be listed: filtered, without held tools, cleaned. */
  review(server: TrustedServer, offer: Offer): Offer;
  /** Held tools of one server or of all. */
  held(server?: string): readonly HeldTool[];
  isHeld(server: string, tool: string): boolean;
  /**
   * Accepts held tools as offered now, one or all. Returns their names. With `seen`, accepts only these digests: a
   * definition that changed after the person looked is not accepted. They are listed from the next review on.
   */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
  /** The server was removed from the configuration. Its pins stay for its return. */
  forget(server: string): void;
  /** Called with newly held tools. */
  onHeld(listener: (held: readonly HeldTool[]) => void): () => void;
}

interface TrustParts {
  readonly store: PinStore;
  readonly digest: Digest;
  now(): number;
  readonly limits: Pick<Limits, 'maxDescriptionChars' | 'maxCatalogBytes'>;
}

/**
 * Tools are accepted on first sight until the pins of a server are as large as this many full catalogs. So a server that
 * invents new names without end cannot fill the disk, and no pin has to be dropped.
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

  /** Pins new tools on first sight where that is allowed. Returns the tools to hold. */
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
        // Restored after a loss, without the definition that people read.
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
    // A tool whose pin was not saved would count as first sight again after a restart.
    const unsaved = fresh.map(({ tool, digest, definition }) => ({ tool, digest, offered: definition }));
    return [
      ...held,
      ...unsaved.map((each) => ({ ...each, server, why: 'new' as const, accepted: undefined })),
    ];
  }

  /** The store reports the reason if saving fails. */
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

/** Cleaning changes only texts, and no other field was read from them. */
const withRaw = <D extends Definition>(definition: D, raw: ByteText): D =>
  raw === definition.raw ? definition : { ...definition, raw };

/**
 * The tools of one server with distinguishable names. The first of a duplicate name counts. Skips a name that looks like
 * another one because the difference is invisible, and a name with half a surrogate pair, which could not be stored.
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

/** A cache of values computed from texts. */
export interface Remembered<T> {
  readonly kept: ReadonlyMap<string, T>;
  of(text: string): T;
}

/** Computes only values that the last generation did not use. Values unused for one generation are dropped. */
export function remembering<T>(last: Remembered<T> | undefined, make: (text: string) => T): Remembered<T> {
  const kept = new Map<string, T>();
  // Not `last` itself: each generation would keep the one before it alive.
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

/** `exclude` wins over `include`. */
export const passesFilter = ({ include, exclude }: ToolFilter, tool: string): boolean =>
  (include === undefined || include.some((pattern) => fits(pattern, tool))) &&
  !exclude?.some((pattern) => fits(pattern, tool));

/** A `*` matches any number of characters. */
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
