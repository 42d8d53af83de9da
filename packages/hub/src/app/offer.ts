/** What the app offers at the moment, and whether the proxy knows it. */
import { toolSetOf, type ToolSet } from './tool-set.ts';
import type { AppTool, AppTools } from './tool.ts';

export interface Offer {
  readonly tools: ToolSet;
  setOwn(tools: AppTools): void;
  setFromPage(tools: readonly AppTool[]): void;
  /** A session is made with the present tools. */
  registered(): void;
  /** The proxy may know other tools than these, or none. */
  unknown(): void;
  /** Says what has changed, if something has. */
  tell(): void;
}

/** `send` says whether something was sent: where no bridge is open, it is told when one is. */
export function createOffer(initial: AppTools, send: (text: string) => boolean): Offer {
  let own = initial;
  let fromPage: readonly AppTool[] = [];
  let tools = toolSetOf(own);
  let told = '';

  const text = (): string => JSON.stringify({ type: 'tools_changed', tools: tools.registered });
  const tell = (): void => {
    const now = text();
    if (now !== told && send(now)) told = now;
  };
  return {
    get tools() {
      return tools;
    },
    setOwn(next) {
      tools = toolSetOf(next, fromPage);
      own = next;
      tell();
    },
    setFromPage(next) {
      tools = toolSetOf(own, next);
      fromPage = next;
      tell();
    },
    registered: () => void (told = text()),
    unknown: () => void (told = ''),
    tell,
  };
}
