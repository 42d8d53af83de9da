/** Which definitions the owner has seen whole: nothing else is accepted by `--yes`. */
export interface ShownDefinitions {
  remember(definition: Definition): void;
  has(definition: Definition): boolean;
}

interface Definition {
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
}

export function createShownDefinitions(): ShownDefinitions {
  const digests = new Map<string, string>();
  const keyOf = ({ server, tool }: Definition): string => JSON.stringify([server, tool]);
  return {
    remember: (definition) => void digests.set(keyOf(definition), definition.digest),
    has: (definition) => digests.get(keyOf(definition)) === definition.digest,
  };
}
