/** What came back of an echo, whichever way it went. */
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
  if (id !== expectedId) throw new Error(`the answer to ${id} came for ${expectedId}`);
  const text = result?.structuredContent?.echoed_text;
  if (result?.isError === true || text === undefined)
    throw new Error(`no echo: ${JSON.stringify(result).slice(0, 200)}`);
  return text;
}
