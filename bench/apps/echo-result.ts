/** The result of an echo call, for every transport. */
export interface AppResult {
  id?: number;
  result?: {
    isError?: boolean;
    content?: { text?: string }[];
    structuredContent?: { echoed_text?: string };
  };
  error?: { message: string };
}

export function echoIn({ id, result, error }: AppResult, expectedId: number): string {
  if (error !== undefined) throw new Error(error.message);
  if (id !== expectedId) throw new Error(`expected the answer to ${expectedId}, got the one to ${id}`);
  const text = result?.structuredContent?.echoed_text;
  if (result?.isError === true || text === undefined)
    throw new Error(`no echo: ${JSON.stringify(result).slice(0, 200)}`);
  return text;
}
