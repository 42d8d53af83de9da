import { visible, type ServerReport } from 'pincer/client';

/** Where it is: an address, or the command of a program on this machine. */
export const targetText = ({ transport, target }: ServerReport): string =>
  visible(transport === 'stdio' ? `stdio://${target}` : target);
