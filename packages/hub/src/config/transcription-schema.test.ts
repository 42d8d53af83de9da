import { describe, expect, it } from 'vitest';
import { transcriptionSchema } from './transcription-schema.ts';

const issuesOf = (given: object): string[] =>
  (transcriptionSchema.safeParse(given).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

describe('transcription', () => {
  it.each([
    { command: ['whisper-cli', '-nt', '-f', '{file}'] },
    { command: ['transcribe', '--input={file}'], env: { LANG: 'de_DE.UTF-8' }, timeoutMs: 5_000 },
    { provider: 'deepgram', apiKey: 'k' },
    {
      provider: 'openai',
      apiKey: 'k',
      model: 'whisper-1',
      url: 'https://example.org/v1/audio/transcriptions',
    },
    { provider: 'openai', url: 'http://127.0.0.1:8000/v1/audio/transcriptions' },
  ])('can be %j', (given) => expect(issuesOf(given)).toEqual([]));

  it('has a default timeout of two minutes', () => {
    expect(transcriptionSchema.parse({ provider: 'openai', apiKey: 'k' }).timeoutMs).toBe(120_000);
  });

  it.each([
    [{}, 'provider: is missing'],
    [{ command: ['whisper'] }, 'command: '],
    [{ command: ['whisper', 'file'] }, 'command: needs {file}'],
    [{ command: ['{file}', '-x'] }, 'command: needs {file} among its arguments'],
    [{ command: ['a', '{file}'], provider: 'openai' }, 'provider: cannot be combined with a command'],
    [{ command: ['a', '{file}'], apiKey: 'k' }, 'apiKey: cannot be combined with a command'],
    [{ provider: 'openai', apiKey: 'k', env: {} }, 'env: works only with a command'],
    [{ provider: 'deepgram' }, 'apiKey: is missing'],
    [{ provider: 'whisper', apiKey: 'k' }, 'provider: '],
    [{ provider: 'openai', apiKey: 'k', url: 'http://example.org/' }, 'url: must be https'],
    [{ provider: 'openai', apiKey: 'k', url: 'https://me:pw@example.org/' }, 'url: must be https'],
    [{ provider: 'openai', apiKey: 'k', url: 'ftp://example.org/' }, 'url: '],
    [{ provider: 'openai', apiKey: 'k', timeoutMs: 0 }, 'timeoutMs: '],
    [{ provider: 'openai', apiKey: 'k', language: 'de' }, 'Unrecognized key'],
  ])('cannot be %j', (given, issue) => expect(issuesOf(given).join('\n')).toContain(issue));
});
