/** Messages out of lines. All of them are good, or none is taken. Pure. */
import { CommandFailure } from '../../registry/failure.ts';
import type { A2uiLimits } from './limits.ts';
import { A2uiError, readMessage, type Message } from './message.ts';

export function readJsonl(jsonl: string, limits: A2uiLimits): Message[] {
  const { maxA2uiBytes: maxBytes, maxA2uiLines: maxLines, maxA2uiLineBytes: maxLineBytes } = limits;
  if (Buffer.byteLength(jsonl) > maxBytes)
    throw new CommandFailure(`jsonl exceeds maximum size of ${maxBytes} bytes`, { notExecuted: true });
  const lines = jsonl.split(/\r?\n/);
  if (lines.filter((line) => line.trim() !== '').length > maxLines)
    throw new CommandFailure(`jsonl exceeds maximum of ${maxLines} lines`, { notExecuted: true });
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      if (Buffer.byteLength(line) > maxLineBytes)
        throw new A2uiError(`it has more than ${maxLineBytes} bytes`);
      return [readMessage(parse(line), limits)];
    } catch (error) {
      throw lineFailure(error, index);
    }
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new A2uiError('it is not JSON');
  }
}

function lineFailure(error: unknown, index: number): unknown {
  if (!(error instanceof A2uiError)) return error;
  return new CommandFailure(`Invalid A2UI message on line ${index + 1}: ${error.message}.`, {
    notExecuted: true,
    hint: 'Nothing was pushed. Each line is one message of A2UI v0.8 as JSON.',
  });
}
