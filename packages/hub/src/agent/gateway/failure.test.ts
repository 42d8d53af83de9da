import { expect, it } from 'vitest';
import { explainFailure } from './backend.ts';

it.each([
  'Error: prepared model runtime plugin generation was superseded for /home/p/.openclaw/agents/main/agent',
  'prepared model runtime owner was not published for /home/p/.openclaw/agents/main/agent',
  'prepared model runtime refresh is pending',
  'prepared reply dispatch runtime owner was not published for main',
])('a change of the configuration is named, and no path of the host: %s', (said) => {
  expect(explainFailure(said)).toEqual({
    message: 'OpenClaw was taking in a change of its configuration, and its agent did not answer.',
    hint: 'Ask again in a moment.',
  });
});

it.each([
  ['HTTP 401: no such key', 'HTTP 401: no such key.', 'credentials'],
  ["The agent couldn't generate a response.", "The agent couldn't generate a response.", 'nothing'],
  ['I prepared a model runtime.', 'I prepared a model runtime.', 'openclaw logs'],
])('anything else is told as OpenClaw says it, with what to do: %s', (said, message, hint) => {
  expect(explainFailure(said)).toEqual({ message, hint: expect.stringContaining(hint) as string });
});
