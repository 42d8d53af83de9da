import { define, numberArg, text, type Tool } from '../tool.ts';

const LINE = `${'stderr '.repeat(146)}\n`;

/** Writing to a full pipe blocks the whole process, as it does in most real servers. */
export const stderrFlood: Tool = {
  definition: define('stderr_flood', 'Writes that many bytes to stderr, then answers.', { bytes: 'number' }),
  handle({ args }) {
    const bytes = numberArg(args, 'bytes');
    for (let left = bytes; left > 0; left -= LINE.length) process.stderr.write(LINE.slice(-left));
    return text(`${bytes} bytes`);
  },
};
