/** What a text takes on a line, with the members and quotes around it. */
export const lineBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) + 64;
