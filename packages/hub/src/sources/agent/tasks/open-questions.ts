/** What an agent has asked and nobody has answered yet: whoever comes to wait for the order is asked it. */
import type { Answer, Asked, Exchange, Question } from '../../../core/request.ts';

export interface OpenQuestions {
  /** By keys that are never used twice. */
  readonly open: ReadonlyMap<string, Question>;
  /** The agent asks. */
  ask(question: Question): Asked;
  /** Somebody can be asked, until the function that comes back is called: what is open then is taken back and stays open. */
  askThrough(ask: Exchange['ask']): () => void;
  /** A question that is not open is nobody's: the answer is dropped. */
  answer(key: string, answer: Answer): void;
  /** The order has ended. */
  close(): void;
}

interface Entry {
  readonly question: Question;
  asked: Asked | undefined;
}

export function createOpenQuestions(onChange: () => void): OpenQuestions {
  const entries = new Map<string, Entry>();
  /** The first of them is asked. */
  const askers: Exchange['ask'][] = [];
  let count = 0;

  function take(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entries.delete(key)) onChange();
    return entry;
  }

  function answer(key: string, said: Answer): void {
    take(key)?.question.answer(said);
  }

  function put(key: string, entry: Entry): void {
    const [ask] = askers;
    const { method, params } = entry.question;
    entry.asked = ask?.({
      method,
      params,
      answer: (said) => {
        // Another one may have been asked since.
        if (askers[0] === ask) answer(key, said);
      },
    });
  }

  function withdrawAll(reason: string): void {
    for (const entry of entries.values()) {
      const { asked } = entry;
      entry.asked = undefined;
      asked?.withdraw(reason);
    }
  }

  return {
    get open() {
      return new Map([...entries].map(([key, { question }]) => [key, question]));
    },
    ask(question) {
      const key = `question_${++count}`;
      const entry: Entry = { question, asked: undefined };
      entries.set(key, entry);
      onChange();
      put(key, entry);
      return { withdraw: (reason) => take(key)?.asked?.withdraw(reason) };
    },
    askThrough(ask) {
      // A function of its own: the same one may come twice.
      const asker: Exchange['ask'] = (question) => ask(question);
      askers.push(asker);
      if (askers.length === 1) for (const [key, entry] of entries) put(key, entry);
      return () => {
        const place = askers.indexOf(asker);
        if (place === -1) return;
        askers.splice(place, 1);
        if (place > 0) return;
        withdrawAll('it is asked again by whoever waits next');
        if (askers.length > 0) for (const [key, entry] of entries) put(key, entry);
      };
    },
    answer,
    close() {
      withdrawAll('the order has ended');
      entries.clear();
    },
  };
}
