import { expect, test } from 'vitest';
import { inChatTerms } from './chat-terms.ts';

test.each([
  ['Run `pincer tools docs`.', 'Run `/mcp tools docs`.'],
  ['Run `pincer list`.', 'Run `/mcp servers`.'],
  ['Run `pincer status`.', 'Run `/mcp servers`.'],
  ['See pincer status docs', 'See /mcp status docs'],
  ['See pincer status docs --stderr', 'See openclaw pincer status docs --stderr'],
  ["See what it is: pincer accept 'docs.a b'", "See what it is: /mcp accept 'docs.a b'"],
  ['Allow it: pincer approvals allow 3f2a91', 'Allow it: /mcp approvals allow 3f2a91'],
  ['Sign in: pincer login docs', 'Sign in: /mcp auth docs'],
  ['Switch it on: pincer set docs enabled true', 'Switch it on: openclaw pincer set docs enabled true'],
  ['Run `openclaw pincer doctor`.', 'Run `openclaw pincer doctor`.'],
  ['Run `pincer doctor`, or `pincer probe docs`.', 'Run `openclaw pincer doctor`, or `/mcp refresh docs`.'],
  ['The file /home/pincer add-ons is not ours.', 'The file /home/pincer add-ons is not ours.'],
  ['Run `pincer login docs`, or /mcp auth docs in OpenClaw.', 'Run /mcp auth docs.'],
  ['Pincer itself failed.', 'Pincer itself failed.'],
])('%s', (text, inChat) => {
  expect(inChatTerms(text)).toBe(inChat);
});
