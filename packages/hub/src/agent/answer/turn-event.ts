/** What is heard of one turn of an agent, whoever runs it. Numbers order what comes from one teller. */

export type TurnEvent = Said | Aside | Written | Whole | ToolEvent | Troubled | Replied | Ended;

/** Something of one message: the model writes several in a turn, one between two calls of tools. */
interface Said {
  readonly kind: 'said';
  readonly seq: number;
  /** The message that it belongs to. */
  readonly item: string;
  /** The message so far. Undefined: only what is new is told. */
  readonly text: string | undefined;
  readonly delta: string;
  readonly media: readonly MediaReference[];
}

/** What the model said before it called a tool. What came in one piece is told in this way alone, all else as `Said`, too. */
interface Aside {
  readonly kind: 'aside';
  readonly seq: number;
  readonly item: string;
  /** All there is of it so far, on one line. */
  readonly text: string;
}

/** A message with its lines, as it is found afterwards. */
interface Written {
  readonly kind: 'written';
  readonly text: string;
}

/** All messages of the turn so far, as the gateway shows them. */
interface Whole {
  readonly kind: 'whole';
  readonly seq: number;
  readonly text: string;
  /** It takes back what was shown before, and does not only add to it. */
  readonly isReplaced: boolean;
}

interface ToolEvent {
  readonly kind: 'tool';
  readonly seq: number;
  /** Of the call. */
  readonly id: string;
  readonly name: string;
  /** Undefined: it has only begun. */
  readonly result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** The model or its run failed. It is not the end: another attempt may follow. */
interface Troubled {
  readonly kind: 'troubled';
  readonly seq: number;
  readonly message: string;
}

/** Blocks that were delivered as the answer: all of the turn, or the last message alone. */
interface Replied {
  readonly kind: 'replied';
  readonly blocks: readonly { readonly text: string; readonly media: readonly MediaReference[] }[];
}

/** The end. Its number says nothing: after a failure the gateway counts anew. */
interface Ended {
  readonly kind: 'ended';
  readonly how: 'done' | 'aborted' | 'failed';
  /** Undefined: nothing is said to be the answer. */
  readonly text: string | undefined;
  readonly media: readonly MediaReference[];
  /** Why, where it was not done. */
  readonly reason: string | undefined;
}

/** Where an image, a sound or a file of an answer is: at an address, or right here. */
export interface MediaReference {
  readonly url: string | undefined;
  /** Base64. */
  readonly data: string | undefined;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly size: number | undefined;
}
