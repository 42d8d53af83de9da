/** Publishes tools to the gateway, and reads from the answer which commands it allows. */
import { messageOf } from '../../core/errors.ts';
import type { NodeState } from '../../core/node-state.ts';
import type { Log } from '../../core/ports.ts';
import { shownAddress } from '../../openclaw/refusal.ts';
import type { Line } from './line.ts';
import type { PublishedTool } from './parts.ts';

export interface PublisherParts {
  /** The current connection. Undefined if there is none. */
  line(): Line | undefined;
  tools(): readonly PublishedTool[];
  /** Called with the new state of the node. */
  become(state: Omit<NodeState, 'since'>): void;
  readonly log: Log;
  /** How long the gateway may take to answer. */
  readonly answerMs: number;
}

export interface Publisher {
  /** Publishes soon. Runs one at a time; requests in the meantime cause one more round. */
  request(): void;
  /** Whether the tools differ from the published ones. */
  isOutdated(): boolean;
}

export function createPublisher({ line, tools, become, log, answerMs }: PublisherParts): Publisher {
  let isRunning = false;
  let isDue = false;
  let last: { readonly line: Line; readonly tools: string } | undefined;

  async function publish(now: Line): Promise<void> {
    const published = tools();
    last = { line: now, tools: JSON.stringify(published) };
    const silence = setTimeout(now.close, answerMs);
    const usable = await now
      .publish(published)
      .catch((error: unknown) => {
        if (line() !== now) return undefined;
        // Another connection with the same key has replaced this one. The gateway only reports that in an answer.
        log.warn('the gateway no longer accepts this connection of the node', { error: messageOf(error) });
        now.close();
        return undefined;
      })
      .finally(() => clearTimeout(silence));
    if (usable !== undefined && line() === now) become(stateOf(now, usable));
  }

  async function publishWhileDue(): Promise<void> {
    isRunning = true;
    try {
      while (isDue) {
        isDue = false;
        const now = line();
        if (now !== undefined) await publish(now);
      }
    } catch (error) {
      log.error('the node of OpenClaw failed', { error });
      // Reconnects: otherwise the node would stay in `connecting`.
      line()?.close();
    } finally {
      isRunning = false;
    }
  }

  return {
    request() {
      isDue = true;
      if (!isRunning) void publishWhileDue();
    },
    isOutdated: () => last?.line !== line() || last?.tools !== JSON.stringify(tools()),
  };
}

function stateOf({ hello, address, declared }: Line, usable: readonly string[]): Omit<NodeState, 'since'> {
  const about = {
    gateway: shownAddress(address.url),
    version: hello.server.version,
    commands: { declared: declared.commands, usable },
  };
  return usable.length > 0 || declared.commands.length === 0
    ? { is: 'connected', ...about }
    : { is: 'paired', ...about, hint: APPROVE };
}

const APPROVE = "On the gateway's machine run `openclaw nodes pending`, then `openclaw nodes approve <id>`.";
