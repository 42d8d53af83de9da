/** The cost of a conversation, calculated from its token counts. Pure. */

/** One exchange with the model: it gets everything so far and answers. */
export interface Turn {
  /** New tokens since the last turn: the person's message, or a tool's answer. */
  readonly heard: number;
  /** Tokens of the model's output: a call, or its final answer. */
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
  /** All input tokens of the whole task. */
  readonly sent: number;
  /** Without a cache. */
  readonly plain: number;
  /** With an initially empty cache. */
  readonly cold: number;
  /** With a cache that an earlier conversation filled with prompt and tools. */
  readonly warm: number;
}

const OUTPUT_PRICE = 5;
const CACHED_PRICE = 0.1;

/** `base` is the other context: the client's own prompt and tools, and the conversation before. */
export function costOf({ toolTokens, turns }: Conversation, base: number): Cost {
  const beginning = base + toolTokens;
  let context = beginning;
  let [sent, fresh, output] = [0, 0, 0];
  for (const { heard, said } of turns) {
    context += heard;
    sent += context;
    fresh += heard;
    output += said;
    // The model's output is part of the input of the next turn, as new tokens.
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

/** The cost that one token of tool definitions adds to the whole task. */
const SHARE: Readonly<Record<Price, (turns: number) => number>> = {
  sent: (turns) => turns,
  plain: (turns) => turns,
  cold: (turns) => 1 + CACHED_PRICE * (turns - 1),
  warm: (turns) => CACHED_PRICE * turns,
};

/** The size of the full tool list, in tokens, at which searching costs as much as listing. */
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
