/** A reason, which somebody else may have written with one or without, as a sentence. */
export const fullStop = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);
