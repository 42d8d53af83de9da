/** What an agent asks its user, read from a gateway's events and its list. */
import { isRecord } from '../../../../core/is-record.ts';
import { textAt } from '../../../../core/text-at.ts';
import type { UserOption, UserQuestion } from '../../backend.ts';
import type { Asked, AskedNews } from './asked.ts';

/** Up to three questions that are answered together. */
export interface AskedQuestions extends Asked {
  readonly agentId: string | undefined;
  readonly questions: readonly UserQuestion[];
  /** False: a secret, which is typed where nothing reads along, or something that is not understood here. */
  readonly isForForms: boolean;
}

export function readQuestionNews(event: string, payload: unknown): AskedNews<AskedQuestions> | undefined {
  if (event === 'question.requested') {
    const asked = readAsked(payload);
    return asked && { kind: 'requested', asked };
  }
  if (event !== 'question.resolved' || !isRecord(payload)) return undefined;
  const id = textIn(payload, 'id');
  return id === undefined ? undefined : { kind: 'resolved', id };
}

/** `question.list`. */
export function readQuestionList(list: unknown): readonly AskedQuestions[] {
  const all = isRecord(list) ? list['questions'] : undefined;
  return Array.isArray(all) ? all.flatMap((each) => readAsked(each) ?? []) : [];
}

type Fields = Readonly<Record<string, unknown>>;

function readAsked(payload: unknown): AskedQuestions | undefined {
  const id = isRecord(payload) ? textIn(payload, 'id') : undefined;
  if (!isRecord(payload) || id === undefined) return undefined;
  const all: readonly unknown[] = Array.isArray(payload['questions']) ? payload['questions'] : [];
  const questions = all.flatMap((each) => readQuestion(each) ?? []);
  return {
    id,
    runId: textIn(payload, 'runId'),
    sessionKey: textIn(payload, 'sessionKey'),
    agentId: textIn(payload, 'agentId'),
    questions,
    // Who cannot be shown all of it cannot answer it.
    isForForms: questions.length > 0 && questions.length === all.length && !all.some(isSecret),
  };
}

const isSecret = (question: unknown): boolean =>
  isRecord(question) && (question['isSecret'] === true || 'secretStore' in question);

function readQuestion(fields: unknown): UserQuestion | undefined {
  if (!isRecord(fields)) return undefined;
  const id = textIn(fields, 'questionId');
  const text = textIn(fields, 'question');
  if (id === undefined || text === undefined) return undefined;
  const options = optionsIn(fields);
  return {
    id,
    header: textIn(fields, 'header') ?? id,
    text,
    link: textIn(fields, 'url'),
    options,
    takesSeveral: fields['multiSelect'] === true,
    takesWords: options.length === 0 || fields['isOther'] === true,
  };
}

function optionsIn({ options }: Fields): readonly UserOption[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    const label = isRecord(option) ? textIn(option, 'label') : undefined;
    return label === undefined ? [] : { label, description: textIn(option as Fields, 'description') };
  });
}

/** Blank ones show nobody anything. */
const textIn = (fields: Fields, name: string): string | undefined => {
  const text = textAt(fields, name);
  return text?.trim() === '' ? undefined : text;
};
