/** Clients and servers of others, for tests that play with them. */
import { installFolder } from '../kit/installation.ts';

/** How long the installation may take. */
export const INSTALL_MS = 300_000;

export const installClients = (): Promise<void> =>
  installFolder(import.meta.dirname, { size: '1.1 GB', timeoutMs: INSTALL_MS });
