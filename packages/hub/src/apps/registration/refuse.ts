import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';

/** A registration that is not accepted; the message begins with the place: `tools[3].input_schema: …`. */
export const refuse = (place: string, problem: string, hint: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${place}: ${problem}.`, { hint });

export const tooLarge = (place: string, counted: string, max: number): PincerError =>
  refuse(place, `has more than ${max} ${counted}`, 'Make it smaller, or raise the limit in the settings.');

/** Names are the app's words: a message that quotes one stays one short line. */
const MAX_NAME_SHOWN = 60;

export const shown = (name: string): string =>
  visible(name.length <= MAX_NAME_SHOWN ? name : `${name.slice(0, MAX_NAME_SHOWN)}…`);

/** The place of a member. */
export const inside = (place: string, name: string): string =>
  place === '' ? shown(name) : `${place}.${shown(name)}`;
