/** What a conversation costs, from what is said in it. Pure. */

/** One exchange with the model: it is sent everything so far, and says something. */
export interface Turn {
  /** What is new since the last turn: the person's words, or what a tool answered. */
  readonly heard: number;
  /** What the model says: a call, or its last words. */
  readonly said: number;
}

export interface Conversation {
  /** The definitions of the tools. */
  readonly toolTokens: number;
  readonly turns: readonly Turn[];
}

/** All prices in tokens of uncached input. */
export interface Cost {
  readonly turns: number;
  /** Tokens of input over the whole task, all of them. */
  readonly sent: number;
  /** Without a cache. */
  readonly plain: number;
  /** With a cache that is empty at the beginning. */
  readonly cold: number;
  /** With a cache that an earlier conversation has filled with prompt and tools. */
  readonly warm: number;
}

const OUTPUT_PRICE = 5;
const CACHED_PRICE = 0.1;

/** `base` is what is sent besides: the client's own prompt and tools, and what was said before. */
export function costOf({ toolTokens, turns }: Conversation, base: number): Cost {
  const beginning = base + toolTokens;
  let context = beginning;
  let [sent, fresh, output] = [0, 0, 0];
  for (const { heard, said } of turns) {
    context += heard;
    sent += context;
    fresh += heard;
    output += said;
    // What the model has said comes back to it with the next turn, as something new.
    context += said;
    fresh += said;
  }
  fresh -= turns.at(-1)?.said ?? 0;
  const paid = OUTPUT_PRICE * output;
  return {
    turns: turns.length,
    sent,
    plain: sent + paid,
    cold: beginning + fresh + CACHED_PRICE * (sent - beginning - fresh) + paid,
    warm: fresh + CACHED_PRICE * (sent - fresh) + paid,
  };
}

export type Price = 'sent' | 'plain' | 'cold' | 'warm';

/** How much one token of tool definitions adds to the whole task. */
const SHARE: Readonly<Record<Price, (turns: number) => number>> = {
  sent: (turns) => turns,
  plain: (turns) => turns,
  cold: (turns) => 1 + CACHED_PRICE * (turns - 1),
  warm: (turns) => CACHED_PRICE * turns,
};

/** How large the list of all tools must be, in tokens, for the search to cost as much. */
export function breakEven(
  full: readonly Conversation[],
  search: readonly Conversation[],
  { price, base }: { price: Price; base: number },
): number {
  const total = (conversations: readonly Conversation[]): number =>
    conversations.reduce((sum, each) => sum + costOf(each, base)[price], 0);
  const withoutTools = total(full.map(({ turns }) => ({ toolTokens: 0, turns })));
  const perToken = full.reduce((sum, { turns }) => sum + SHARE[price](turns.length), 0);
  return Math.max(0, (total(search) - withoutTools) / perToken);
}
