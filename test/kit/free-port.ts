import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** For servers that must be told their port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
