const NEWLINE = 0x0a;

/** Splits chunks of bytes into lines and skips empty ones. */
export function createLineReader(onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      start = end + 1;
      if (line.trim() !== '') onLine(line);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  };
}
