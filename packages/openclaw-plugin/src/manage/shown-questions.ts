/** Which questions the owner has seen whole in the chat: nothing else is allowed there. */
export interface ShownQuestions {
  remember(id: string): void;
  has(id: string): boolean;
}

const MAX_REMEMBERED = 1_000;

export function createShownQuestions(): ShownQuestions {
  const ids = new Set<string>();
  return {
    remember(id) {
      ids.delete(id);
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > MAX_REMEMBERED) ids.delete(oldest!);
    },
    has: (id) => ids.has(id),
  };
}
