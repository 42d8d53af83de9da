/**
 * A relay in front of a gateway that measures the gateway's own time: from the bytes of a request to those of the end of its
 * run. That time varies more than the overhead to be measured.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  url: string;
  /** Starts to watch the next request. */
  watch(): void;
  /** The time it spent at the gateway. */
  gatewayMs(): number;
}

const FINAL = '"state":"final"';

export async function openRelay(gatewayUrl: string): Promise<Relay> {
  const { hostname, port } = new URL(gatewayUrl);
  const sockets = new Set<Socket>();
  let requestAt: number | undefined;
  let finalAt = Number.NaN;

  const server = createServer({ noDelay: true }, (client) => {
    const gateway = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const [from, to] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
      from.pipe(to);
    }
    client.on('data', () => (requestAt ??= performance.now()));
    // Frames from a gateway are not masked.
    gateway.on('data', (bytes: Buffer) => {
      if (bytes.includes(FINAL)) finalAt = performance.now();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    watch() {
      requestAt = undefined;
      finalAt = Number.NaN;
    },
    gatewayMs: () => finalAt - (requestAt ?? Number.NaN),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
