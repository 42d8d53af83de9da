/** Clients and servers of others, for tests that play with them. */
import { installFolder, LONGEST_MS } from '../kit/installation.ts';

export const INSTALL_MS = LONGEST_MS;

export const installClients = (): Promise<void> => installFolder(import.meta.dirname, '1.1 GB');
