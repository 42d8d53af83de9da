import { shellWord } from '../../lib/text.ts';
import { visible } from '../visible.ts';

/** For a person to copy. The tool's name comes from the server, so it is quoted for the shell. */
export const acceptCommand = (server: string, tool: string): string =>
  `pincer accept ${shellWord(visible(`${server}.${tool}`))}`;
