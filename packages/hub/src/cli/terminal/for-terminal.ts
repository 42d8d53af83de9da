/** The last look at a text before a terminal obeys it: of what could move or hide something, only our own colours stay. */
import { visibleBlock } from '../../core/visible.ts';
import { COLOUR_CODES } from './style.ts';

const OUR_COLOURS = new RegExp(`(\u001B\\[(?:${COLOUR_CODES.join('|')})m)`);

export const forTerminal = (text: string): string =>
  text
    .split(OUR_COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : visibleBlock(part)))
    .join('');
