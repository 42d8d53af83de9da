import { shellWord } from '../../lib/text.ts';
import { visible } from '../visible.ts';

/** For a person to copy: the tool's name is its server's, and a shell must not obey it. */
export const acceptCommand = (server: string, tool: string): string =>
  `pincer accept ${shellWord(visible(`${server}.${tool}`))}`;
