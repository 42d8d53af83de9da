/**
 * The gateway that settings lead to at this moment. Whoever began with one ends with it, also when settings have led
 * elsewhere since: its runs are stopped there, and their files are there.
 */
import { createGateway, createReviewer, type Gateway, type GatewayParts } from './gateway.ts';

/** Both ways to one gateway. */
export interface Lines {
  readonly orders: Gateway;
  /** Of `createReviewer`. */
  readonly reviewer: Gateway;
}

export interface Gateways {
  current(): Lines;
  /** Settings may have changed. */
  reconsider(): void;
  close(): void;
}

export function createGateways({ find, ...rest }: Omit<GatewayParts, 'purpose' | 'idleMs'>): Gateways {
  const all = new Set<Lines>();
  let now: { readonly destination: string; readonly lines: Lines } | undefined;

  function look(): Lines {
    const found = find();
    const destination = JSON.stringify(found);
    if (now?.destination === destination) return now.lines;
    const parts = { find: () => found, ...rest };
    const lines = { orders: createGateway(parts), reviewer: createReviewer(parts) };
    now?.lines.orders.retire();
    now?.lines.reviewer.retire();
    all.add(lines);
    now = { destination, lines };
    return lines;
  }

  return {
    // What is connected is not looked up for each order: OpenClaw's file would be read each time.
    current: () => (now?.lines.orders.isConnected === true ? now.lines : look()),
    reconsider: () => void look(),
    close() {
      for (const { orders, reviewer } of all) {
        reviewer.close();
        orders.close();
      }
    },
  };
}
