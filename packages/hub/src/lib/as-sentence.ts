/** What somebody else said, as the end of a sentence of ours. */
export function asSentence(said: string): string {
  const text = said.trim();
  return /[.!?…]["')\]]?$/.test(text) ? text : `${text}.`;
}
