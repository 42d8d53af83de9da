/** Fixture servers as entries of a hub's configuration. */
import type { ServerFlags } from '../servers/flags.ts';
import { stdioCommand } from '../servers/start.ts';

type Flags = Partial<Omit<ServerFlags, 'transport' | 'port'>>;

export const stdioServer = (flags: Flags = {}, settings: object = {}): object => ({
  ...stdioCommand(flags),
  ...settings,
});

export const httpServer = (url: string, settings: object = {}): object => ({ url, ...settings });
