/** The fields of a form that a question of an agent's is answered in. */
import type { Era } from '../../../core/protocol.ts';
import { visible } from '../../../core/visible.ts';
import type { UserOption, UserQuestion } from '../backend.ts';
import { choiceOf, cut, type Choice } from './form.ts';

/** By their names. No id of a question has a dash in it. */
export function fieldsOf(question: UserQuestion, era: Era): Readonly<Record<string, object>> {
  const { id, header, options, takesSeveral, takesWords } = question;
  if (options.length === 0) return { [id]: { type: 'string', ...wordsOf(question), minLength: 1 } };
  return {
    ...(takesSeveral ? severalOf(question, era) : { [id]: oneOf(question, era) }),
    ...(takesWords && {
      [otherName(id)]: {
        type: 'string',
        title: `${visible(header)}: something else`,
        description: takesSeveral ? 'Besides, or instead.' : 'In your own words.',
      },
    }),
  };
}

/** Whether the field of its own name has to be filled in. */
export const isRequired = ({ options, takesSeveral, takesWords }: UserQuestion, era: Era): boolean =>
  options.length === 0 || (!takesWords && (!takesSeveral || era === 'modern'));

/** What was answered in them: labels of options, and words. */
export function valuesIn(question: UserQuestion, content: Readonly<Record<string, unknown>>): string[] {
  const { id, options, takesSeveral, takesWords } = question;
  const own = content[id];
  if (options.length === 0) return wordsIn(own);
  const named: readonly unknown[] = Array.isArray(own) ? own : [own];
  const chosen = options
    .filter((option, at) => named.includes(valueOf(option)) || content[tickName(id, at)] === true)
    .map(({ label }) => label);
  const words = takesWords ? wordsIn(content[otherName(id)]) : [];
  if (takesSeveral) return [...chosen, ...words];
  // One answer, whatever it is made of: who chooses an option and adds a word means both.
  return wordsIn([...chosen, ...words].join('; '));
}

const wordsIn = (value: unknown): string[] => {
  const words = typeof value === 'string' ? value.trim() : '';
  return words === '' ? [] : [words];
};

const otherName = (id: string): string => `${id}-other`;
const tickName = (id: string, at: number): string => `${id}-${at + 1}`;

const wordsOf = ({ header, text }: UserQuestion): object => ({
  title: visible(header),
  description: cut(visible(text)),
});

const oneOf = (question: UserQuestion, era: Era): object => ({
  type: 'string',
  ...wordsOf(question),
  ...choiceOf(question.options.map(choiceFor), era),
});

/** A choice of several came with 2025-11-25, and clients of the legacy era may not know it: each option has a box. */
function severalOf(question: UserQuestion, era: Era): Readonly<Record<string, object>> {
  const { id, header, options, takesWords } = question;
  if (era === 'modern') {
    const items = { anyOf: options.map(choiceFor).map(({ value, title }) => ({ const: value, title })) };
    return {
      [id]: { type: 'array', ...wordsOf(question), items, ...(!takesWords && { minItems: 1 }) },
    };
  }
  return Object.fromEntries(
    options.map((option, at) => [
      tickName(id, at),
      {
        type: 'boolean',
        title: `${visible(header)}: ${visible(option.label)}`,
        ...(option.description !== undefined && { description: cut(visible(option.description)) }),
        default: false,
      },
    ]),
  );
}

/** Some clients show the value and no title. */
const valueOf = ({ label }: UserOption): string => visible(label);

function choiceFor(option: UserOption): Choice {
  const value = valueOf(option);
  const { description } = option;
  return { value, title: description === undefined ? value : `${value} – ${cut(visible(description))}` };
}
